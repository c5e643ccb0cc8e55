-- topics.lua: pages of the reference that are about no single name: {name, title, text}.
return {
  { "steps", "what a step does, and how the families of pipelines differ",
    [[The preset of a pipeline names its stages; pipeline = {preset = "robust", broad = "hash_grid"} changes one of them. Each stage and
preset has a page of its own here.

Impulses (robust, impulses, lively, exhaustive): dynamics make a candidate (linearised implicit Euler, or another integrator, on
springs and hinges, Provot's, Choi and Ko's or Bigliani and Eischen's networks, or an orthotropic membrane and plate), solved by
conjugate gradients that a V-cycle of aggregation multigrid preconditions (from 4096 vertices on with nearly linear interpolation
between aggregates). Contacts near at the start are solved together, with Coulomb friction, on end positions, from what they bore in
the step before, most of which the linear system has had as a load already. Then a box tree over the motion of the step; continuous
detection by certified separating axes, which may report a contact early but never misses one; impulses until nothing meets; rigid
zones, then halved steps as last resorts, then a failure that names the features and leaves the state alone. At the end contacts are
solved once more, for velocities that keep gaps as they are. Where rigid bodies touch cloth, both are solved as one instead: contacts,
strain limits, the cloth's stiffness and the bodies' inertia, by Newton's method.

Potentials (offset, newton, vbd): a step is the minimum of one energy, in which contacts are springs of distance with a logarithmic
barrier below half the thickness and friction goes by the load of the solve before, of which a step has at least two. Cloth and
contacts are one system, solved by a few Newton steps of conjugate gradients; moves that would meet are cut short, at a plane between
the two, and every pair is certified over the whole move. It folds and slides more freely at the same dt, and costs several times as
much; it has no strain limit, and takes energies of contact (muslin.potential) in the place of rules. A rigid body is six unknowns
more, a shift and a turn: its contacts are energies too, as stiff as its weight asks for. newton is the same, solved to the end: its
residual is below 1e-3 m/s^2, and it is what the others are measured by. vbd seeks the same minimum by vertex block descent: each
vertex goes where it is best off while its neighbours stand, colour by colour. By itself that does not do on stiff and fine cloth:
half a metre of denim of 50 x 50 vertices, held by its corners, is after 96 sweeps a step still stretched 6 % too little. Every
eighth sweep therefore follows a step that moves all vertices together; then it ends within 0.1 mm of offset, at 1.6 times its cost.

Classic (provot, bridson_source, bigliani, jung, aabb): systems of the literature as they were published, stage by stage, with what
they lack. provot (1997): the coplanarity cubic, normal cones, one round of friction and dissipation vertex by vertex, zones that turn
rigidly; bridson_source (2002): repulsions, a few rounds of impulses, zones, the strain limit last; bigliani: edges against planes,
the vertex takes all; jung (2005): spheres about faces, penalty, then geometry; aabb: a ray for each vertex, put out of solids. They
give no guarantee: a step that ends with crossings is committed, world:stats().unresolved counts the pairs that it knows of, the
auditor the rest. bridson is the second made sound, with certified detection that has the last word. All move rigid bodies, both
ways. Their stages may be mixed: pipeline = {preset = "provot", narrow = "certified_ccd", failsafe = "zones"}.

Broad phases of the literature stand beside the box tree: octree, partition_tree, quad_tree and hash_grid give the results of brute,
bit for bit. hash_grid_source and partition_tree_cones are as published and lose meetings; partition_tree_sound loses none, but
leaves out what comes near without meeting: classic pipelines alone take these.

With dt_min and dt_max a world chooses the length of its steps at the end of every frame, by how fast edges stretch, turn and fold and
whether steps had to be split. The choice does not depend on the clock or the number of threads.]] },
  { "accuracy", "what pipelines agree on, friction and energy, measured",
    [[Solvers (tests/world/test_solvers.c): a sheet of 0.4 m that hangs by its corners comes to rest within 0.05 mm of newton under all
others, stretched alike to 5e-5. Draped over a ball, where folds are anyone's choice, the centre of mass agrees to 1 mm under offset
and vbd and 1 cm under robust, which stretches single edges by up to 7 % where the others have 0.5 %.
Materials (test_tension.c, test_fabrics.c): strips under a tension, of every measured fabric and cut on the bias, are within 1 % of
what the law says, the tips of heavy strips within 2 % of the elastica, and a disc on a pedestal drapes alike within 1 % under all of
them, and within 5 % on an even, a turned, an uneven and a finer mesh.
Friction (test_friction.c): on a slope a sheet sticks at a friction of 1.01 tan(angle) and slips at 0.99, and where it slides its
acceleration is g (sin - mu cos) within 1 %, on planes, boxes and faces, under robust, offset, newton and vbd. What sticks stands
still under robust; in the potential pipelines it creeps by less than 1 mm/s, below which their friction falls off.
Energy (test_energy.c): world:energy() tells kinetic, elastic, gravitational and contact energy (J), all in the middle of the step. At
the ends of frames it never rises by more than a ten-thousandth of what a scene loses in all under offset, newton and vbd; robust
holds that on what hangs and piles up, but presses coarse cloth on impact: a sheet that falls on a ball has for some frames many times
the energy it fell with, until the material's damping has taken it. At worst example 02 has 1.2 times the energy of its start, 03 3.9
times, 05 8.2 times; under offset none of the three ever has more than at its start (build/bench --energy sphere pile table).
Heavy bodies (test_bodies_cloth.c, test_bodies_potential.c): a ball of 2 to 20 kg that falls 18 cm into a sheet of 0.1 kg held all
around comes to rest in it under robust, with no edge stretched beyond 10.5 % under a limit of 10, and the two together never have
more energy than they began with. A box of 2 or 100 kg dropped on two loose sheets of 32 g on a floor lies where it fell. Under
offset a ball of one to two hundred times the weight of the sheet that it falls into gains no more than 1e-4 of what they lose
together.
Thickness: at the end of each scene of tests/scenes 99 of 100 contacts have at least half of it, but for one under the default pipeline
in full size, where few vertices bear much: fine cloth on a small ball has 0.2 there. What a contact bears for some time is a load to
the linear system, but what comes at once moves single vertices, which stand out of stiff cloth by about dt^2 times load by mass.
offset, which solves cloth and contacts as one, keeps 0.9 of the thickness there.
Known limits: cloth that slides over a sharp edge by several thicknesses in a step catches on it and stretches (take shorter steps);
where edges grow from half a millimetre to 150 mm within one cloth, some may be stretched by two thirds for a moment, and by a quarter
at the end.]] },
  { "ranges", "how large and how small numbers may be",
    [[Numbers have bounds, and they are held wherever numbers come in: fields, files, generators and transforms of meshes, arrays that
hooks write, what motions, paths and forces give, snapshots. The message names the object, the field, the value and the bound.

Coordinates, sizes, thicknesses and distances: up to 1e9 m, where a double resolves 1e-7 m. Sizes, thicknesses and edges of meshes: at
least 1e-15 m; coordinates may be any nearer to 0. All else in its SI unit: up to 1e30, and at least 1e-30 where it must be above 0.
A file in other units is brought within them by the option scale of muslin.mesh.load.

A step is split into at most 10000 parts: explicit integrators split it for cloth that is stiff or damped for its mass, and fast
obstacles do beside fine cloth. One that would need more fails and says what to change, and so does one that throws a vertex farther
than 10000 times 0.4 of the mean edge. An obstacle's thickness must be less than the largest cloth is wide.]] },
  { "guarantee", "what is certified, and when it is not",
    [[A state without intersections is followed by states without intersections. Within a step (or a part of one) every vertex moves on
a straight line, and a step is kept only when each vertex-face and edge-edge pair that could meet on the way has been certified to stay
apart, with a bound on rounding that is derived, not tuned. Pairs are never dropped for want of room, and only features that share a
vertex are passed over. If no such motion is found, by impulses, zones (or planes) and shorter steps, the step fails by name and the
state before it stays. The auditor (--audit, expect(world):penetration_free()) shares no code with the detection.

Start: a scene with overlaps is refused, and all pairs of objects are named. With overlap = "repair" they are pushed apart before time
0 (layers that cross a little, a sheet through a ball, a ribbon through itself), the auditor confirms it, and world:start_report()
tells what moved and how far; what cannot be pushed apart is refused. With overlap = "allow" what lies on the wrong side of another
surface, or inside, does not collide with it until it has come out (world:stats().allowed counts such parts, the auditor counts them
apart); all the rest of the cloth does, and is as safe as ever. world:between({a, b}, {overlap = ...}) says another word about a pair.
Cloth that starts in exact touch, with no gap that a motion could be certified to leave, is moved out by a micrometre in any case.

Straight lines: an obstacle that turns is followed in parts of at most 0.4 of an edge's length, and its corners cut the arc within a
part. Balls, capsules, cylinders and planes are exact against whole faces. What is certified is that features do not meet; that they stay a
thickness apart is aimed at (see accuracy).

It does not hold, or stops the run, where
- a hook or a script writes an overlap: the next step refuses it and names both faces;
- pins and obstacles go where they are told. Cloth between them yields; where nothing is left to yield (pinched beyond its thickness, a
  pin led into an obstacle) the step fails with "no safe step" and the features' names. Two obstacles of which none is a rigid body
  are not kept apart;
- self_collision = false and world:ignore mean what they say;
- seams pull with forces, not by decree: they never bring anything through anything, and stay open where something is between;
- failsafe = "none" still commits no step that would cross, but gives up sooner;
- the classic pipelines but bridson, and mixtures of classic stages without certified_ccd, with bridson_source or with failsafe =
  "none", promise nothing: they are there to be looked at and compared.

Rigid bodies (motion = "dynamic") are kept out of cloth, of each other and of all obstacles by the same certified detection. Under
robust they are moved as one with cloth where impulses do not part them; bodies that pinch cloth between them are held as well, and
one pinched itself between obstacles that are led ends in "no safe step". Contacts that are met within a step keep angular momentum
to the order of the step only, and where heavy bodies leave cloth no room its strain limit may be overrun for some steps.
Under offset, newton and vbd nothing is moved as one: a body's way over the step is cut short as a vertex' is, all of it by one share.
Under classic pipelines each rule shares what it does to cloth by the body's effective mass at the contact (Bridson et al. 2002 say
how, the other sources know solids that do not give way), cloth on a floor bears a body as the floor would, and under bridson nothing
passes; among themselves bodies are certified in all of them. A body's weight goes to cloth contact by contact there, and 20 times
the sheet's is too much for it: a ball that falls 18 cm on a sheet pinned all around draws its edges by 0.3 under bridson, one of 200
times by 1.4 (in steps of 1/120 s 0.6 and 4; robust keeps the limit of 0.1), and nothing passes; under bridson_source and aabb it
falls through, which stats().unresolved tells, under provot, bigliani and jung it draws the sheet out to several times its length
(tests/world/test_bodies_classic.c).]] },
  { "integrators", "how a step moves cloth before contacts are looked for",
    [[How a step moves cloth before contacts are looked for; the field `integrator` of a world's pipeline.
implicit_euler       linearised, any step; takes energy out of fast motion; first order
semi_implicit_euler  symplectic, in stable sub-steps; first order, keeps energy over long times
verlet               position Verlet, AAB eq. 2 and 3, in the same sub-steps; second order without friction within the cloth.
                     Its kd is the material's viscous_damping times the sub-step
rk4                  classical Runge-Kutta on (x, v), in sub-steps; fourth order. Velocities are those of the instant, not of
                     the middle of the step: what rests on something keeps half a step's gravity, and does not move by it
explicit_euler       forward Euler; first order. An undamped spring gains energy at any step, so sub-steps go by the damping:
                     at most half of the least of damping and bending_damping, or of viscous_damping/omega^2, and cloth with
                     neither is refused. Motion across taut springs is damped by bending, air and viscous_damping alone
position_based       compliant constraints of springs and hinges, 40 sweeps over all a step, forwards and backwards in turn; any
                     step. Pulling constraints by cloth:pull; pins are such at full weight. Not for membranes
Sub-steps are at most half of what Gershgorin's bound of the stiffest vertex allows; the world's stats.iterations counts them.
Few sweeps leave stiff cloth soft. Extension at rest of a hanging strip of cotton, 1 m of 20 squares, by that in equilibrium
(tests/dynamics/test_integrators measures it):
sweeps       1      5     10     20     40     80
dt 1/60    550    128     67     34     17    7.8
dt 1/240    38    9.0    5.0    2.7    1.7    1.2
dt 1/960   3.1    1.3    1.1    1.0    1.0    1.0]] },
  { "sandbox", "what of Lua a scene finds, its files and limits",
    [[What of Lua a scene finds, unless --trusted gives it all. It keeps accidents from taking the program or your files with
them; it is no wall against code that means harm.
There:     the base functions, string, table, math, utf8, coroutine; os.clock (simulated seconds) and os.time (from
           2000-01-01, by the same clock); require of "muslin", of muslin's own scripts, and of Lua text under the script's
           folder.
Not there: io, debug, package, the rest of os, dofile, loadfile, string.dump, bytecode in load and require, __gc in setmetatable.
Bounded:   string.rep (256 MB), table.move, insert, remove, concat, unpack and sort (16.7 million items).
Fixed:     the libraries cannot be written to. A global is declared by an assignment in the main part of a file, outside of
           functions; reading one that was not, or assigning to it in a function, is an error that names the nearest one
           (rawget(_G, name) asks without one).
Files:     muslin.mesh.load, muslin.load, muslin.audit, world:restore and caches read under the script's folder and the
           output folder, mesh:save and world:save write under the output folder: --out DIR, else the working directory.
           Beyond them a scene may read what its arguments on the command line (after --, of a sweep the sweep's) name, in folders
           that they name, and write files that they name. Links are followed first, and what is judged is the open file. A
           file that is there is overwritten only if it is a snapshot or a mesh as muslin writes it, by its extension and its
           first bytes; world:save asks for a name in .muslin.
--memory-limit MB is what Lua may hold: 2000, in muslin test 1000; 0: no limit. A script that needs more ends with exit code 3
("not enough memory"). Meshes and worlds have a count of their own: given, the option limits them to as much again, else they
may take nine tenths of the machine's memory ("out of memory").
--time-limit S ends a script that does not end (exit code 124), also within pcall, coroutines and handlers; a C function
that does not return (a pattern like ('.-'):rep(30)) ends the program a little later, with what was written kept.
One SIGTERM ends it as well, within a second; Ctrl-C needs a second one for a C function.
muslin test has such a limit by default.]] },
  { "comparisons", "one scene under several pipelines and rules: muslin compare",
    [[muslin compare SCENE.lua plays one scene several times: with --pipelines under presets ('scene' is the pipeline that the
script chooses), with --rule FILE.lua under its own pipeline and the response that FILE returns: a function or muslin.rule,
a muslin.response or its options. It is added after the script has made its world, so it comes before the script's own
responses; require in it looks under the scene's folder. Every playing has a fresh Lua state, and all of --time-limit.

A row says how it ended (finished, error, check failed, time limit, interrupted, not run), why, and what was measured:
step [ms]       wall-clock of a step, median and greatest; the audit is not in it
pairs           elementary pairs that the broad phase kept, a step (world:stats().candidates)
tests           continuous tests of such pairs, a step (ccd_tests)
contacts        near or hit, a step
passes          of the response over what would still meet, a step (ccd_passes; potential pipelines make none)
solver its.     iterations of the linear solver, a step
crossings       pairs of faces that intersect, by the auditor, in the worst and in the last frame; the files tell too how
                many features are inside obstacles (inside_worst, inside_last)
deepest         how far cloth was inside an obstacle, in any frame, also below the tolerance of the audit
momentum drift  |sum (change of momentum - impulse from outside)| / sum |impulse from outside|, over all steps that can be
                judged: the impulses of gravity, drag, viscous_damping, the forces of hooks, and contacts with obstacles as the solver books
                them. A rule whose two sides do not balance shows here, and so do zones, truncated moves and velocities that
                hooks write, for which nothing is booked. Steps that were split, the first one, and all with pinned vertices
                do not count (momentum_steps tells how many do); with none the drift is unknown: "-", null
kinetic         energy of the last step; the files have the greatest, too, the total (energy_J, as world:energy) at the last
                frame, and by how much it rose most from a frame to the next (energy_rise_J)
stretch         greatest of any edge in any step
at rest from    the time from which no vertex is faster than 0.01 m/s, to the end; no: there is none

compare.csv has a line a row, compare.json the same under "columns" with what was asked for and the machine; units are in
the names, unknown figures are empty or null. The same scene gives the same figures but for the times.
Exit codes: 0 the comparison was made, with whatever rows; 1 with --fail-on-intersections, when a frame of any row holds a
crossing or something inside; 2 an unknown pipeline, or a file that is not there, before anything is played; 3 a file that
could not be written; 124 a script that the time limit could not interrupt; 130 interrupted, with the rows so far.]] },
  { "sweeps", "many runs of one scene: muslin sweep, run --case, collect",
    [[muslin sweep PLAN.lua [--out DIR] runs a scene over many arguments. PLAN returns a table, or a function of the words behind
`--` that returns one:
scene             path of the scene, from the plan's folder
fixed             {name = value}: parameters that all cases share
grid              {name = {value, ...}, ...}: every combination
list              {{name = value, ...}, ...}: points, each as it stands
random            {samples = n, seed = 1, method = "uniform" or "latin", over = {name = range, ...}}; a range is {low, high},
                  {low, high, scale = "log"}, {low, high, step = s} or {choose = {value, ...}}. A name has a stream of its own.
                  "latin" draws once from each of n equal parts of every range
arguments         {word, ...} that stand before the parameters
frames, seconds   length of a run, as muslin run's; the scene's duration
threads           of a run; 1. Results are the same bits for any number
format            of frames, as --format; "none": manifest and log alone; "obj"
audit             check every frame for intersections; false
time_limit        s a run; none
checkpoint_every  frames; 50; 0: none
Cases are the product of grid, list and samples; values are numbers, strings and booleans. A parameter reaches the scene as the word
name=value (muslin.arguments reads them), but for pipeline, seed, threads, frames and seconds, which are options of the run.

DIR (the current folder) gets cases.jsonl, a case a line, case.sh, which runs one, and runs/K with frames, manifest.json, log.csv
and output.txt. muslin run --case DIR/cases.jsonl:K --out DIR/runs/K is what every engine starts; it may be given again at any
time: what is complete (finished, or a check failed) is kept, what was cut short goes on from its checkpoint, and a run of another case,
script or required file begins anew. Cases may be added to a plan at the end; for others choose another DIR.
The words of a case name no files beyond the scene's own folder and DIR/runs/K, whatever the plan says: what a case may touch
besides stands on the sweep's command line behind `--` (muslin sweep PLAN.lua -- /data/body.obj), and with --case likewise.

--engine local       processes of its own, --jobs at a time (0: one a processor)
         parallel    GNU parallel; its own settings (~/.parallel/config) may name other machines that share the folder
         slurm       an array job of at most 1000 tasks, --jobs at a time; sbatch waits for its end. Partition, account and limits
                     are those of SBATCH_PARTITION, SBATCH_ACCOUNT and SBATCH_TIMELIMIT
         snakemake   a Snakefile with a rule for a case
         none        writes the files only
One case that fails does not stop the others. Exit codes: 0 all are complete and their checks passed, 1 a check or an audit failed, 3 a
case could not be completed, 130 interrupted.

muslin collect DIR/runs prints a row a run: parameters, how it ended, the last frame's figures, crossings and features inside
obstacles summed over audited frames, mean time of a frame, and the last value of everything logged. --csv and --json (an
object a line, with the least, greatest and mean of logged values) print all there is; --out DIR2 writes both.]] },
  { "checkpoints", "snapshots and checkpoints",
    [[A snapshot (world:save, muslin run --checkpoint-every N) holds a world's structure (settings, meshes, materials, responses,
ignored pairs) and state (time, positions, velocities, pins, poses, gravity, wind, random streams, statistics, contacts,
the log, and what the solver remembers), with a version and a checksum; and the values of every muslin.param that the world's
rules, forces, hooks and other functions reach. What follows from it is the same bit for bit.

muslin run --resume runs the script again, which makes the world, its hooks and motions anew up to and with the frame
hooks of frame 0, and then takes state, frames and manifest from DIR/checkpoint.muslin. Script, required files, arguments,
seed and structure must be the same; what differs is named, and nothing is touched. Threads and the last frame may differ.

The script's own variables are in a checkpoint as far as the functions of the world (hooks, forces, motions, paths, rules)
reach them: numbers, strings, booleans, vectors, arrays and tables, also those in globals. Functions and other objects are
those that the script makes again by its start. Functions of world:script are played again (see timelines).
Where hooks make objects, hooks, motions, rules, functions or coroutines on the way and keep them, the run goes on, but
checkpoints end with a message that names the reason: the script run again would not make them. A file of world:save has no
variables of the script but those parameters, which are told by their names, the first of a name first; muslin.load, which
makes a world without functions, sets none, nor does a script that was changed and goes on in the preview.]] },
  { "timelines", "world:script, snapshots and --resume",
    [[A file cannot hold a coroutine. A snapshot holds the times at which each function of world:script ran on. Restoring one
(world:restore, muslin run --resume, going back in the preview) plays the function again from its start, each wait being over
at once with the time that it had, up to where the snapshot has it; what it does to the world on the way is then overwritten
by the saved state. So a script must not read the state to decide what to do but by wait_until (a script that takes another
way is an error, and nothing has changed), and print prints again. A world in which a script has added hooks or motions on
its way cannot go back over that; one that its script makes anew can. muslin.load takes scripts that had not begun, or had
ended; one under way is refused by name.]] },
  { "determinism", "the same bits in every run, and what of Lua is changed for it",
    [[The same scene gives the same bits in every run, for any number of threads, on every x86-64 processor, whichever
instruction set it has (MUSLIN_SIMD=baseline, avx2 or avx512 chooses among them; muslin --version tells). For that a scene's
Lua differs from the stock one, with --trusted too:
pairs and next go by kind and value: 1, 2, 3..., other numbers up, strings bytewise, false, true, then tables, functions and
other objects from the oldest to the youngest, then C functions as the libraries hold them. next has to look at every key, so
pairs is the faster way.
Strings hash by one seed in every process, so the length #t of a list with holes is the same of its ends in every run of the
same script; after --resume it may be another one: keep a count (table.pack's n). manifest.json tells under "lua_hash" whether
the seed could be set in this build of Lua ("fixed", else "random"; muslin --version says so, too). With tables or functions
as further keys of such a list its length depends on addresses.
table.sort is stable, and takes any comparison.
math.random starts from the seed (--seed, 1; a world's own seed starts it again); math.randomseed() without a seed goes
back to its start. world:random has a stream of its own, which a failed step takes back.
math.sin, cos, tan, asin, acos, atan, exp, log, pow and x^y are muslin's own; in stock Lua x^y is the C library's: muslin.pow
there. tostring and print call objects by number ("table: #3"), not by address; string.format refuses %p without --trusted.
muslin.random(name) gives streams of their own; os.clock and os.time go by simulated time.
What remains to you: weak tables and collectgarbage("count") depend on the collector; with --trusted, clocks and files.]] },
}
