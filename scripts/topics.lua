-- topics.lua: pages of the reference on topics, without a name of the API: {name, title, text}.
return {
  { "steps", "what a step does, and how the families of pipelines differ",
    [[The preset of a pipeline names its stages; pipeline = {preset = "robust", broad = "hash_grid"} replaces one of them. Each stage and
preset has a page of its own here.

Impulses (sequential, impulses): dynamics compute predicted positions by linearized implicit Euler (or another integrator).
The internal forces are springs and hinges, the networks of Provot, of Choi and Ko or of Bigliani and Eischen, or an orthotropic
membrane and plate. Conjugate gradients solve the linear system, preconditioned by one V-cycle of aggregation multigrid (with
nearly linear interpolation between aggregates from 4096 vertices on). Contact constraints between features that are near at the
start are solved together, with Coulomb friction, on the predicted positions. They are warm-started with the impulses of the
previous step, most of which the linear system has already as a contact load. Then a bounding volume hierarchy finds the pairs
whose swept boxes overlap; continuous collision detection by certified separating axes may report a collision too early, but misses
none; impulses are applied until no pair collides. Rigid impact zones and then halved steps are the fail-safes; if they do not
suffice, the step fails with an error that names the features, and the state is unchanged. At the end of the step contacts are
solved once more, for velocities that keep the gaps. Where rigid bodies touch cloth, contacts, strain limits, the cloth's stiffness
and the bodies' inertia are solved as one system by Newton's method instead.

Coupled (robust, the default, and exhaustive): as impulses, but the stiffness of cloth, contacts, Coulomb friction, strain limits,
stitches and rigid bodies are one problem, an augmented Lagrangian with the contact forces of the previous step as first
multipliers. The cloth is linearized at most twice with the contacts that are near at the start, then at most five times with those
of pairs that would collide, each time with a Newton step or two by conjugate gradients, whose multigrid includes the contacts;
impulses, impact zones and halved steps follow as above. An impact adds no energy, and taut cloth has the strain that its stiffness
gives, at two to four times the cost of sequential. Only implicit_euler fits; with another integrator robust is sequential.
Response rules act once, on the predicted positions, and the rest is solved with what they moved. Contact energies
(muslin.potential) are part of the problem.

Potentials (offset, newton, vbd): a step is the minimum of one incremental potential. The contact energy is quadratic in the
distance, with a logarithmic barrier below half the thickness; the friction limit is lagged, it follows from the normal force of the
previous solve, and a step has at least two solves. Cloth and contacts are one system, solved by a few Newton iterations with
conjugate gradients. Displacements that would collide are truncated at a plane between the two sides, and every pair is certified
over the whole displacement. At the same time step, cloth folds and slides more freely than under impulses, at several times the
cost. There is no strain limit, and contact energies (muslin.potential) take the place of response rules. A rigid body adds six
unknowns, a translation and a rotation; its contacts are energies too, stiffened in proportion to its weight. newton solves the same
problem to convergence: its residual is below 1e-3 m/s^2, and it is the reference for the others. vbd minimizes the same potential by
vertex block descent: each vertex in turn minimizes the energy with its neighbors fixed, color by color. Alone that converges too
slowly for stiff and fine cloth: half a meter of denim of 50 x 50 vertices that hangs by its corners is 6 % too short after 96 sweeps
per step. Every eighth sweep therefore follows a step that moves all vertices together; the result is then within 0.1 mm of offset,
at 1.6 times its cost.

Classic (provot, bridson_source, bigliani, jung, aabb): systems of the literature as published, stage by stage, with their
limitations. provot (1997): the coplanarity cubic, normal cones, one round of friction and dissipation per vertex, rigid impact zones.
bridson_source (2002): position-based cloth, repulsions, a few rounds of impulses, impact zones, the strain limit last. bigliani:
segments of edges against planes; only the vertex is moved, back to where it was. jung (2005): spheres about faces, penalty forces,
then geometric correction. aabb: one ray per vertex; vertices are moved out of solids. They have no guarantee: a step with
intersections at its end is committed, world:stats().unresolved counts the pairs that the pipeline knows of, and the auditor finds the
others. bridson is the method of 2002 with implicit Euler and certified detection after the last response, which makes it safe. All of
them move rigid bodies, with impulses on both sides. Their stages may be combined:
pipeline = {preset = "provot", narrow = "certified_ccd", failsafe = "zones"}.

The sources detect and respond in every step of their integrators, in which nodes move at constant velocity. So do these presets:
collision_step = "stable" splits the world's step into the stable substeps of the explicit integrators of provot, bigliani, jung and
aabb, each of which is a step of its own (world:stats().substeps counts them); bridson_source, whose integrator has no such bound, has a
collision step of 1 ms. collision_step = "step" is one detection per dt: much faster and coarser, cloth then crosses in most scenes
(tests/bench/sources presets). Damping in proportion to stiffness makes stable substeps twenty times shorter: for explicit
integrators use material = {damping = 0, bending_damping = 0, viscous_damping = 1}.

Other broad phases of the literature: octree, partition_tree, quad_tree and hash_grid give the results of brute, bit for bit.
hash_grid_source, octree_source, partition_tree_cones and quad_tree_cones are as published and miss collisions (octree_source finds
vertices of cloth against faces of solids alone); partition_tree_sound misses none, but omits pairs that come near without colliding.
Only classic pipelines accept these five.

With dt_min and dt_max a world chooses its time step at the end of every frame, from the rates at which edges stretch, rotate and bend
and from the number of steps that were split. The choice does not depend on wall-clock time or on the number of threads.]] },
  { "accuracy", "agreement of the pipelines, friction and energy, measured",
    [[Solvers (tests/world/test_solvers.c): a sheet of 0.4 m that hangs by its corners comes to rest within 0.05 mm of newton under all
other pipelines, with equal stretch to 5e-5. Draped over a ball, where the folds are not unique, the center of mass agrees to 1 mm
under robust, offset and vbd and to 1 cm under sequential, which stretches single edges by up to 7 % where the others have 0.5 %.
Materials (test_tension.c, test_fabrics.c): strips under tension, of every measured fabric and cut on the bias, are within 1 % of
the material law (but gray-interlock along its weft, which does not come to rest under robust), the tips of heavy strips within 2 %
of the elastica. A disc on a pedestal drapes with the same result within 1 % under all of them, and within 5 % on a regular, a
rotated, an irregular and a finer mesh.
Friction (test_friction.c): on a slope a sheet sticks at a friction coefficient of 1.01 tan(angle) and slips at 0.99; where it slides
its acceleration is g (sin - mu cos) within 1 %, on planes, boxes and faces, under robust, sequential, offset, newton and vbd. A
sticking sheet stands still under sequential, and under robust after the first steps, in which it goes up to 3 um; in the potential
pipelines it creeps by less than 1 mm/s, below which their friction force decreases.
Energy (test_energy.c): world:energy() returns kinetic, elastic, gravitational and contact energy (J), all for the middle of the step.
Under offset, newton and vbd the energy at the end of a frame never rises by more than a ten-thousandth of the total loss of the scene.
Under robust examples 02, 03 and 05 never exceed their initial energy either. Under sequential the same is true for hanging and piled
cloth, but coarse cloth is compressed on impact: a sheet that falls on a ball has for some frames many times its energy before the
impact, until the damping of the material dissipates it. At worst example 02 has 1.2 times its initial energy, 03 3.9 times, 05 8.2
times (build/bench --energy --pipeline sequential sphere pile table).
Heavy bodies (test_bodies_heavy.c, test_bodies_potential.c): a ball of 2 to 20 kg that falls 18 cm into a sheet of 0.1 kg pinned
all around comes to rest in it under robust and sequential, with no edge stretched beyond 10.5 % at a limit of 10 %, and the energy
of both together never exceeds the initial one. A box of 2 or 100 kg dropped on two loose sheets of 32 g on a floor comes to rest
where it fell. Under offset a ball of one to two hundred times the weight of the sheet that it falls into gains no more than 1e-4
of the energy that both lose.
Thickness: at the end of each scene of tests/scenes 99 of 100 contacts have at least half of it. The exceptions are, under robust,
cloth wrung by ten turns (0.15) and, under sequential in full size, fine cloth on a small ball, where few vertices carry a large
load (0.2). A load that a contact carries for some time enters the linear system of sequential, but a sudden one moves single
vertices, which protrude from stiff cloth by about dt^2 times load by mass. offset, which solves cloth and contacts as one system,
keeps 0.9 of the thickness there.
Known limits: robust damps slow swings more than implicit Euler has to (half of the amplitude in 0.6 of the time); cloth that
slides over a sharp edge by several thicknesses in a step catches on it and stretches (use a smaller time step); where edges of one
cloth are from half a millimeter to 150 mm long, some may be stretched by two thirds for a moment, and by a quarter at the end.]] },
  { "ranges", "how large and how small numbers may be",
    [[Numbers have bounds, which are checked wherever numbers are read: fields, files, generators and transforms of meshes, arrays that
hooks write, results of motions, paths and forces, snapshots. The error names the object, the field, the value and the bound.

Coordinates, sizes, thicknesses and distances: up to 1e9 m, where a double resolves 1e-7 m. Sizes, thicknesses and edges of meshes: at
least 1e-15 m; coordinates may be any value nearer to 0. All others, in their SI unit: up to 1e30, and at least 1e-30 where they must be
above 0. A file in other units can be converted by the option scale of muslin.mesh.load.

A step has at most 10000 substeps: explicit integrators need them for cloth that is stiff or damped for its mass, and obstacles that
move fast near fine cloth. A step that would need more fails with an error that names a remedy; so does a step that moves a vertex
farther than 10000 times 0.4 of the mean edge. The thickness of an obstacle must be less than the size of the largest cloth.]] },
  { "guarantee", "what is certified, and when it is not",
    [[A state without intersections is followed by states without intersections. Within a step (or substep) every vertex moves on a
straight line, and a step is committed only if each vertex-face and edge-edge pair that could collide has been certified to stay
apart, with a derived bound on rounding. No pair is dropped for lack of memory, and only features that share a vertex are not tested.
If no such motion is found by impulses, impact zones (or truncation) and shorter steps, the step fails with an error and the state is
unchanged. The auditor (--audit, expect(world):penetration_free()) shares no code with the detection.

Start: a scene with overlaps is refused with an error that names all pairs of objects. With overlap = "untangle" they are separated
before time 0 (layers that intersect a little, a sheet through a ball, a ribbon through itself), the auditor confirms the result, and
world:start_report() returns what was moved and how far; overlaps that cannot be untangled are refused. Cloths in layers
(world:cloth {layer = 2}) are put in their order by the same means. With overlap = "allow" the
parts that are on the wrong side of another surface, or inside it, do not collide with it until they have separated
(world:stats().allowed counts these exemptions, and the auditor counts them separately); the rest of the cloth collides, with the full
guarantee. world:between({a, b}, {overlap = ...}) overrides the setting for a pair. Cloth that starts exactly in contact, with a
gap too small for a certified motion, is moved away by a micrometer in any case.

Straight lines: the motion of a rotating obstacle is split into substeps of at most 0.4 of an edge's length, in each of which its
corners move on the chord of their arc. Balls, capsules, cylinders and planes are tested exactly against whole faces. It is certified
that features do not collide; the distance of one thickness is aimed at, not certified (see accuracy).

Exceptions, where there is no guarantee or the run stops:
- a hook or a script writes positions with an overlap: the next step refuses them and names both faces;
- pins and obstacles follow their prescribed motion. Cloth between them gives way; where it cannot (pinched to less than its
  thickness, a pin moved into an obstacle) the step fails with "no safe step" and the names of the features. Two obstacles of which
  none is a rigid body are not tested against each other;
- world:between({cloth, body}, {pinch = "release"}): vertices that an animated mesh pinches between two of its surfaces go along with
  these, uncollided, until the mesh opens (world:stats().pinched);
- self_collision = false and world:ignore exclude pairs from all tests;
- seams pull with forces: they never pull anything through a surface, and stay open if something is between their edges;
- failsafe = "none" still commits no step with a collision, but fails sooner;
- classic pipelines other than bridson, and combinations of classic stages without certified_ccd, with bridson_source or with
  failsafe = "none", have no guarantee: they are for comparison.

Rigid bodies (motion = "dynamic") do not penetrate cloth, each other or other obstacles, by the same certified detection. Under
robust a body and cloth that impulses do not separate move as one impact zone; so do bodies that pinch cloth between them, and a body
that is pinched between obstacles with prescribed motion ends in "no safe step". Contacts that are found within a step conserve
angular momentum only to first order in the time step, and where heavy bodies leave cloth no space its strain limit may be exceeded
for some steps.
Under offset, newton and vbd there are no impact zones: the displacement of a body is truncated as that of a vertex is, as a whole and
by one factor.
Under classic pipelines each response shares its correction by the body's effective mass at the contact (Bridson et al. 2002 state
how; the other sources have no rigid bodies), cloth on a floor carries a body as the floor would, and under bridson nothing
penetrates; collisions of bodies with each other are certified in all of them. There a body's weight is passed to cloth contact by
contact, which is not enough for a body of 20 times the weight of the sheet: a ball that falls 18 cm on a sheet pinned all around
stretches its edges by 0.3 under bridson, one of 200 times by 1.4 (with steps of 1/120 s by 0.6 and 4; robust and sequential keep the
limit of 0.1),
without penetration; under bridson_source and aabb it falls through, as stats().unresolved shows; under provot, bigliani and jung it
stretches the sheet to several times its length (tests/world/test_bodies_classic.c).]] },
  { "integrators", "how a step moves cloth before contacts are detected",
    [[How a step moves cloth before contacts are detected; the field `integrator` of a world's pipeline.
implicit_euler       linearized, stable at any time step; dissipates energy of fast motion; first order
generalized_alpha    stable at any time step; hardly dissipates energy of motion that the step resolves; second order where nothing
                     touches. With the response coupled only (preset lively): half of the elastic force of a step is that of its
                     end, half the elastic force of the step before. Vertices in contact, steps that begin with a large residual
                     and steps after positions were written are those of implicit Euler
semi_implicit_euler  symplectic, in stable substeps; first order, conserves energy over long times
verlet               position Verlet, AAB eq. 2 and 3, in the same substeps; second order without damping within the cloth.
                     Its kd is the material's viscous_damping times the substep
rk4                  classical Runge-Kutta on (x, v), in substeps; fourth order. Velocities belong to the end of the step, not to
                     its middle: cloth at rest on an obstacle has a velocity of half a step's gravity, and does not move by it
explicit_euler       forward Euler; first order. An undamped spring gains energy at any step, so the damping limits the substep:
                     at most half of the least of damping and bending_damping, or of viscous_damping/omega^2, and cloth with
                     neither is refused. Motion normal to taut springs is damped by bending, air and viscous_damping alone
position_based       compliant constraints of springs and hinges, 40 sweeps over all per step, forward and backward in turn; stable
                     at any time step. Pulling constraints by cloth:pull; pins are such constraints with full weight. Not for
                     membranes
Substeps are at most half of the limit by Gershgorin's bound of the stiffest vertex; the world's stats.iterations counts them.
Few sweeps leave stiff cloth too soft. Extension at rest of a hanging strip of cotton, 1 m of 20 squares, divided by that in
equilibrium (measured by tests/dynamics/test_integrators):
sweeps       1      5     10     20     40     80
dt 1/60    550    128     67     34     17    7.8
dt 1/240    38    9.0    5.0    2.7    1.7    1.2
dt 1/960   3.1    1.3    1.1    1.0    1.0    1.0]] },
  { "sandbox", "what of Lua a scene may use, its files and limits",
    [[What of Lua a scene may use, unless --trusted gives it everything. The sandbox prevents accidents with the program or your files;
it is not a protection against hostile code.
Available: the base functions, string, table, math, utf8, coroutine; os.clock (simulated seconds) and os.time (from
           2000-01-01, by the same clock); require of "muslin", of muslin's own scripts, and of Lua text under the script's
           folder.
Missing:   io, debug, package, the rest of os, dofile, loadfile, string.dump, bytecode in load and require, __gc in setmetatable.
Bounded:   string.rep (256 MB), table.move, insert, remove, concat, unpack and sort (16.7 million items).
Fixed:     the libraries cannot be changed. A global variable is declared by an assignment in the main part of a file, outside of
           functions; reading an undeclared one, or assigning to it in a function, is an error that names the nearest one
           (rawget(_G, name) reads without an error).
Files:     muslin.mesh.load, muslin.load, muslin.audit, world:restore and caches read under the script's folder and the
           output folder, mesh:save and world:save write under the output folder: --out DIR, else the working directory.
           Outside of them a scene may read the files and folders that its command-line arguments name (after --; of a sweep, the
           arguments of muslin sweep), and write files that they name. Links are followed first, and the permission is that of the
           opened file. An existing file is overwritten only if it is a snapshot or a mesh written by muslin, by its extension and
           its first bytes; world:save requires the extension .muslin.
--memory-limit MB limits the memory of Lua: 2000, in muslin test 1000; 0: no limit. A script that needs more ends with exit code 3
("not enough memory"). Meshes and worlds are counted separately: if the option is given, it limits them to the same amount again, else
they may use nine tenths of the machine's memory ("out of memory").
--time-limit S stops a script that does not end (exit code 124), also within pcall, coroutines and handlers; a C function
that does not return (a pattern like ('.-'):rep(30)) ends the program a little later, and files written before are kept.
One SIGTERM stops it as well, within a second; Ctrl-C is needed twice for a C function.
muslin test has a time limit by default.]] },
  { "comparisons", "one scene under several pipelines and rules: muslin compare",
    [[muslin compare SCENE.lua simulates one scene several times: with --pipelines under presets ('scene' is the pipeline that the
script chooses), with --rule FILE.lua under its own pipeline and the response that FILE returns: a function or muslin.rule,
a muslin.response or its options. It is added after the script has made its world, so it has priority over the script's own
responses; require in FILE searches the scene's folder. Without either it plays all presets except aabb, bigliani, jung and provot,
which detect collisions in each stable substep and may take hours: name these. Every run has a new Lua state, and the whole --time-limit.

A row has the result (finished, error, check failed, time limit, interrupted, not run), its reason, and the measurements:
step [ms]       wall-clock time of a step, median and maximum, without the audit
pairs           candidate pairs of the broad phase, per step (world:stats().candidates)
tests           continuous tests of such pairs, per step (ccd_tests)
contacts        near or hit, per step
passes          of the response over pairs that still collide, per step (ccd_passes; potential pipelines have none)
solver its.     iterations of the linear solver, per step
crossings       pairs of faces that intersect, by the auditor, in the worst and in the last frame; the files also have the number
                of features inside obstacles (inside_worst, inside_last)
deepest         largest penetration of cloth into an obstacle, in any frame, also below the tolerance of the audit
momentum drift  |sum (change of momentum - external impulse)| / sum |external impulse|, over all steps in which it is
                known: the impulses of gravity, air drag, viscous_damping, the forces of hooks, and contacts with obstacles as
                recorded by the solver. It shows rules with unequal impulses on the two sides, and impact zones, truncation and
                velocities written by hooks, which record no impulse. Split steps, the first step, and steps with pinned vertices
                are not counted (momentum_steps is the number of counted steps); without any the drift is unknown: "-", null
kinetic         energy of the last step; the files also have the maximum, the total (energy_J, as world:energy) at the last
                frame, and the largest rise from one frame to the next (energy_rise_J)
stretch         maximum of any edge in any step
at rest from    the time after which no vertex is faster than 0.01 m/s, to the end; no: there is none

compare.csv has one line per row, compare.json the same under "columns" with the options and the machine; units are in
the names, unknown figures are empty or null. The same scene gives the same figures except for times.
Exit codes: 0 the comparison was made, whatever its rows; 1 with --fail-on-intersections, if a frame of any row has an
intersection or a feature inside an obstacle; 2 an unknown pipeline or a missing file, before the first run; 3 a file that
could not be written; 124 a script that the time limit could not interrupt; 130 interrupted, with the rows up to then.]] },
  { "formats", "what muslin run writes for other programs: --format",
    [[muslin run SCENE.lua --out DIR --format LIST writes, of every frame N:
obj               frame_N.obj: every object by name (o) with its groups of faces (g), 17 digits, texture coordinates, and its
                  material (usemtl) in frames.mtl, one file for all frames: colors (sRGB) and pictures of textures
ply, stl          frame_N.ply, .stl: one joined mesh, binary and as text; with --up z turned so that z is up, as for printers and
                  CAD programs, (x, y, z) as (x, -z, y), which muslin.mesh.load reads back with {up = "z"}
vtp               frame_N.vtp with the fields stretch (strain), contact_force (N), contact_distance (m; NaN without a
                  contact) and velocity (m/s) of cloth, NaN elsewhere; of faces the number of the object (part, of `names`) and of
                  its group (group, of `group_names`; -1: none); and frames.pvd, which ParaView opens as a motion
usda, glb         frame_N.usda, .glb: objects by name with texture coordinates and colors; groups of faces, such as the panels of a
                  garment, as subsets, and as primitives with materials of their names; pictures of textures, in .glb as the files they
                  are, placed by KHR_texture_transform. Cloths in usda are deformable surfaces by the names of the proposal for
                  UsdPhysics, with rest shape, material and seams, and obstacles are colliders; muslin.usd.load reads them
png, pov          frame_N.png: a picture; frame_N.pov: a scene for POV-Ray with the textures, to be rendered in its folder, in
                  a picture of the ratio of --size (1280x720).
                  --frames-only chooses frames
of the whole run:
pc2               cloth_NAME.pc2, obstacle_NAME.pc2: point caches (floats). An obstacle's ends with its last motion: programs repeat
                  the last frame
mp4, webm         film.mp4, film.webm of the png frames, by ffmpeg
and, made at the end from point caches, which are then written too:
animation.glb     glTF with a morph target per frame, positions as floats within 1e-6 m at sizes of meters. For some hundred frames:
                  viewers load the whole motion; files end at 4 GB
animation.usda    USD with time samples, every position the float of the cache; what cloths are made of, seams and colliders as in usda
animation.abc     Alembic (Ogawa): for each object a transform around a PolyMesh of its name, with positions (the floats of the cache) and
                  bounds of every frame, texture coordinates, and groups as FaceSets; no colors
mdd               cloth_NAME.mdd, obstacle_NAME.mdd (Lightwave): for 3ds Max, Cinema 4D, Houdini, Maya and Blender. Positions are the
                  floats of the cache; an object that never moves has one frame
blender           open_in_blender.py and open_in_blender.obj: blender --python open_in_blender.py builds the scene with meshes,
                  caches, texture coordinates, colors, textures, camera and frame rate
Planes, which have no end, are in obj, usda, vtp and pc2, as squares of 10 m, and with --planes also in the other files.
A back_color is in pictures and pov only: other files have the color of the front on both sides.
Pictures of textures are written as picture_1.png (or .jpg), ... beside obj, usda, pov and open_in_blender.py; a checker, stripes
or a weave as a small picture of its front that is repeated. Vertices have the same numbers in all formats but glb.
Coordinates are meters, y up, except in Blender, where the script turns the scene so that z is up. Objects added late or removed are
hidden in the other frames. A run of other formats into the same folder keeps these files.]] },
  { "reports", "one HTML page of results: --report of muslin run, test, compare and sweep",
    [[muslin run SCENE.lua --out DIR --report writes DIR/report.html at the end, also after an error, a time limit or Ctrl-C. It
contains its pictures, plots, style and script, loads nothing, and may be mailed or printed as it is. At the top are title, file
and outcome: how the run ended, and what the audit found (--audit). Then:
pictures        at most 49 of 480 x 270 pixels, from the scene's camera or one that follows, with the drawing of draw hooks, which are
                called for them; in a longer run one every 2, 4, 8, ... frames, and the last state. --show colors them. The player
                needs JavaScript; without it, and in print, eight pictures are shown. Without OpenGL the page states the reason
plots           over time: wall-clock time of a frame and of its phases, contacts, iterations, energies (world:energy), largest strain
                of an edge, smallest gap of the contacts of a frame's last step, findings of the audit, and what world:log recorded
                more than once (of at most 24 names). Below them are tables of the values, with at most 1000 frames
the rest        objects, pipeline, versions, machine, arguments, files with their hashes, and time in hooks, as in manifest.json
Of a resumed run, energies, strain, gap and phases are those of the last process. The report changes no result; it takes the time of
its pictures and of one evaluation of the energy per frame.

muslin test PATH... --out DIR --report writes outcome, time and message of every scenario, what scripts printed, and the messages and
pictures (at most 4 MB) of scenarios that failed. muslin compare SCENE.lua --out DIR --report writes the table (see comparisons), the
last frames, and plots with a line for each row. muslin sweep PLAN.lua --out DIR --report writes a table of the runs, and the mean time
of a frame and the last values of world:log over each numeric parameter, with marks by the first parameter of words.]] },
  { "sweeps", "many runs of one scene: muslin sweep, run --case, collect",
    [[muslin sweep PLAN.lua [--out DIR] runs a scene over many arguments. PLAN returns a table, or a function of the arguments after
`--` that returns one:
scene             path of the scene, relative to the plan's folder
fixed             {name = value}: parameters that all cases share
grid              {name = {value, ...}, ...}: every combination
list              {{name = value, ...}, ...}: single points
random            {samples = n, seed = 1, method = "uniform" or "latin", over = {name = range, ...}}; a range is {low, high},
                  {low, high, scale = "log"}, {low, high, step = s} or {choose = {value, ...}}. Each name has a random stream of
                  its own. "latin" samples once from each of n equal parts of every range
arguments         {word, ...} before the parameters
frames, seconds   length of a run, as in muslin run; the scene's duration
threads           of a run; 1. Results are the same bits for any number
format            of frames, as --format; "none": manifest and log alone; "obj"
audit             check every frame for intersections; false
time_limit        s per run; none
checkpoint_every  frames; 50; 0: none
Cases are the product of grid, list and samples; values are numbers, strings and booleans. A parameter is passed to the scene as the
argument name=value (muslin.arguments reads them), except pipeline, seed, threads, frames and seconds, which are options of the run.

DIR (the current folder) gets cases.jsonl, one case per line, case.sh, which runs one case, and runs/K with frames, manifest.json,
log.csv and output.txt. Every engine calls muslin run --case DIR/cases.jsonl:K --out DIR/runs/K, which may be repeated at any
time: a complete case (finished, or a check failed) is kept, an interrupted one continues from its checkpoint, and a run of another
case, script or required file starts at frame 0. Cases may be added to a plan at the end; for other changes choose another DIR.
The arguments of a case may name no files outside the scene's own folder and DIR/runs/K, whatever the plan contains: name other files
that a case may use on the sweep's command line after `--` (muslin sweep PLAN.lua -- /data/body.obj), and with --case likewise.

--engine local       processes of its own, --jobs at a time (0: one per processor)
         parallel    GNU parallel; its own settings (~/.parallel/config) may name other machines that share the folder
         slurm       an array job of at most 1000 tasks, --jobs at a time; sbatch waits for its end. Partition, account and limits
                     are those of SBATCH_PARTITION, SBATCH_ACCOUNT and SBATCH_TIMELIMIT
         snakemake   a Snakefile with one rule per case
         none        writes the files only
A case that fails does not stop the others. Exit codes: 0 all are complete and their checks passed, 1 a check or an audit failed, 3 a
case could not be completed, 130 interrupted.

muslin collect DIR/runs prints one row per run: parameters, result, the last frame's figures, intersections and features inside
obstacles summed over audited frames, mean time of a frame, and the last value of everything logged. --csv and --json (one
object per line, with minimum, maximum and mean of logged values) print all columns; --out DIR2 writes both.]] },
  { "checkpoints", "snapshots and checkpoints",
    [[A snapshot (world:save, muslin run --checkpoint-every N) contains a world's structure (settings, meshes, materials, responses,
ignored pairs) and state (time, positions, velocities, pins, poses, gravity, wind, random streams, statistics, contacts,
the log, and the memory of the solver), with a version and a checksum; and the values of every muslin.param that the world's
rules, forces, hooks and other functions use. A run continued from it gives the same bits.

muslin run --resume runs the script again, which makes the world, its hooks and motions up to and including the frame
hooks of frame 0, and then reads state, frames and manifest from DIR/checkpoint.muslin. Script, required files, arguments,
seed and structure must be the same; the error names a difference, and nothing is changed.
Threads, the last frame and --no-sleep may differ.

A checkpoint contains the script's own variables if functions of the world (hooks, forces, motions, paths, rules) refer to
them: numbers, strings, booleans, vectors, arrays and tables, also those in global variables. Functions and other objects are
those that the script makes again at its start. Functions of world:script are run again (see timelines).
Where hooks create objects, hooks, motions, rules, functions or coroutines during the run and keep them, the run continues, but
without further checkpoints, and a message names the reason: the script run again would not create them. A file of world:save has no
variables of the script except those parameters, which are matched by name, the first of a name first; muslin.load, which
makes a world without functions, sets none, nor does a changed script that continues in the preview.]] },
  { "timelines", "world:script, snapshots and --resume",
    [[A file cannot contain a coroutine. A snapshot contains the times at which each function of world:script was resumed. Restoring it
(world:restore, muslin run --resume, going back in the preview) runs the function again from its start, where each wait returns
at once with the time that it had, up to the point of the snapshot; what the function does to the world meanwhile is then overwritten
by the saved state. So a script must not base decisions on the state except by wait_until (a script that takes another
branch is an error, and nothing has changed), and print prints again. A world in which a script has added hooks or motions during the
run cannot go back to before that; one that its script makes again can. muslin.load accepts scripts that had not begun, or had
ended; the error names one that was running.]] },
  { "determinism", "the same bits in every run, and what of Lua is changed for it",
    [[The same scene gives the same bits in every run, for any number of threads, on every x86-64 processor and for each of its
instruction sets (MUSLIN_SIMD=baseline, avx2 or avx512 selects one; muslin --version prints it). For that a scene's
Lua differs from the stock one, with --trusted too:
pairs and next iterate by kind and value: 1, 2, 3..., other numbers ascending, strings bytewise, false, true, then tables, functions
and other objects from the oldest to the youngest, then C functions in the order of the libraries. next has to visit every key, so
pairs is faster.
Strings are hashed with the same seed in every process, so the length #t of a list with holes is the same of its possible values in
every run of the same script; after --resume it may be another one: store a count (table.pack's n). manifest.json states under
"lua_hash" whether the seed could be set in this build of Lua ("fixed", else "random"; muslin --version prints it, too). With tables or
functions as further keys of such a list its length depends on addresses.
table.sort is stable, and accepts any comparison.
math.random starts from the seed (--seed, 1; a world's own seed restarts it); math.randomseed() without a seed restarts it.
world:random has a stream of its own, which a failed step restores.
math.sin, cos, tan, asin, acos, atan, exp, log, pow and x^y are muslin's own; in stock Lua x^y is that of the C library: use muslin.pow
there. tostring and print identify objects by number ("table: #3"), not by address; string.format refuses %p without --trusted.
muslin.random(name) returns streams of their own; os.clock and os.time return simulated time.
Not deterministic: weak tables and collectgarbage("count"), which depend on the collector; with --trusted, clocks and files.]] },
}
