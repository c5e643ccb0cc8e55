-- reference.lua: every Lua name: what `muslin doc NAME` prints. A test compares it with what is registered.
-- Entries: { name, signature, text [, example] }; units are SI, indices count from 1. More examples are in
-- reference/examples.lua; a test runs all of them. reference/chapters.lua sorts the names into chapters.
local entries = {
  -- The module ----------------------------------------------------------------------------------------------------
  { "muslin.world", "muslin.world {dt, dt_min, dt_max, fps, duration, gravity, air_density, wind, pipeline, threads, seed, overlap, "
      .. "tolerance, sleep}  -> world",
    [[Makes a world. All fields are optional.
dt           longest step, s, > 0; 1/240. A frame of 1/fps is split into ceil(1/(fps dt)) equal steps
dt_min       s, with dt_max: adaptive time step between the two; dt is that of the first frame. Frames are still 1/fps long, in
dt_max       equal steps, chosen at the end of a frame so that the ends of no edge move relative to each other by more than a tenth
             of its length in a step, and smaller where steps had to be split. The same in every run; 0: off
fps          frames per second, > 0; 60
duration     s that a host simulates, >= 0; 5
gravity      m/s^2; {0, -9.81, 0}
air_density  kg/m^3, >= 0; 1.2. Air drag is proportional to it and to the material's drag coefficient
wind         m/s; {0, 0, 0}
pipeline     a preset's name (muslin.pipelines), a table of stages {integrator, broad, narrow, response, failsafe,
             strain, internal, collision_step}, or a preset with changes {preset = "robust", broad = "brute"}; "robust".
             collision_step: the longest time between two collision detections, s: a step is split into equal parts that are
             no longer, each a step of its own; "stable": each stable substep of an explicit integrator, as in the sources
             that have one; "step": dt
             The stage `internal` ("material", "mass_spring", "choi_ko", "square_network") sets the model of every cloth whose material
             has the model "springs", which is the default of materials.
             Without a response it is "coupled" with the integrators "implicit_euler" and "generalized_alpha", and "bridson" with others.
             Three kinds, whose stages cannot be combined: contacts by impulses, solved together with dynamics ("robust",
             "lively") or after it ("sequential", "impulses"); potentials ("offset", "vbd", "newton"); the classic systems of the literature
             ("provot", "bridson", "bridson_source", "bigliani", "jung", "aabb"), of which only "bridson" guarantees a state without
             intersections; the others commit unresolved collisions and count them (world:stats().unresolved)
threads      0: one per processor. Results are the same bits for any number
seed         of the world's random numbers, and of math.random in scenes; 1
overlap      of cloth with itself, other cloth or obstacles before the first step: "refuse", an error that names all pairs of objects;
             "untangle" (formerly "repair"): they are separated before time 0, see world:start_report; "allow": the parts on the wrong
             side of another surface, or inside it, do not collide with it until they have separated, the rest collides; "refuse"
tolerance    of pipelines with narrow "spherical" (preset "jung"), and refused by others: the distance that cloth keeps, and
             the size down to which surfaces are subdivided, m, where it is less than the pair's thickness (Jung 2005, 3.1-3.2); 0: the
             thickness. {eye =, pixel =, least = 0}: by the view, the larger of least (m) and pixel (rad, the largest angle that is
             invisible) times the distance from the eye (m). function(p, t): by the position p (vec3, m) and the time t (s), > 0. It is
             traced as by muslin.rule, and evaluated at every vertex at its position at the start of a step; the tolerance of a pair
             is the least of its vertices. Planes use the thickness
sleep        whether a world at rest is no longer solved, until something changes: see world.asleep; true in `muslin run`,
             `muslin sweep`, which runs its cases so, and `muslin view`, else false
The command line's --pipeline, --threads, --seed and --no-sleep override the script.]],
    [[local world = muslin.world { dt = 1/240, duration = 3 }]] },
  { "muslin.mesh", "muslin.mesh",
    "Generators and readers of triangle meshes. Flat sheets: grid, strip, disc, annulus, polygon; solids: sphere, icosahedron, box, " ..
      "capsule, cylinder, cone, torus; open: tube, and cone without caps; load, new. An unknown name is an error that names " ..
      "the nearest one.", [[muslin.mesh.grid { nodes = {40, 40}, size = {1, 1} }]] },
  { "muslin.material", "muslin.material(name) or muslin.material {preset, name, density, ...}  -> material",
    [[A material: a preset by name, or constants that override those of a preset ("cotton" by default).
density          kg/m^2, > 0
model            "springs", with hinges for bending; networks of springs alone: "mass_spring" (Provot 1995), "choi_ko" (Choi &
                 Ko 2002: springs in tension only, and buckling spans between every second node); "square_network" (Bigliani &
                 Eischen: square elements of a grid); or a membrane of triangles: "stvk" (orthotropic St.
                 Venant-Kirchhoff), "neo_hookean" (stable neo-Hookean, with fibers along warp and weft); "springs". Measured
                 fabrics, such as "11oz-black-denim" and nine more (`muslin doc` lists them), have the model "measured": a
                 preset names the fabric
bending          N m, bending rigidity of hinges (springs), of the plate (membranes), or of the equivalent in a network: the buckling
                 spans of "choi_ko", kb = bending r/4 for a span r; the bend springs of "mass_spring", 144 bending/r^2 each, which
                 have that rigidity at a fold of one radian over the span and less below; 0: none
damping          s, as a multiple of the stiffness: acts on the rate of length (springs) or of strain (membranes)
bending_damping  s, of bending
viscous_damping  1/s, damping of the velocity in the world, force -viscous_damping m v: a step of dt reduces the velocity by the
                 fraction viscous_damping dt; 0
drag             air drag coefficient
strain_limit     largest strain, 0.1 is 10 %; 0: no limit. Edges are shortened to 0.95 of it (9.5 %), so that the residual of the
                 sweeps stays within the limit. The pipeline's stage `strain` enforces it: "sweep" and "bridson" for the end of a
                 step, "bridson" for the change of length within a step as well; "jung" and
                 "jung_direct" solve for all edges together, by conjugate gradients or by a factorization, along the edges'
                 directions at the start of the step, so that edges that rotate fast exceed it
Of springs:
stretch          N/m, structural springs
shear            N/m, diagonal springs
bend             N/m, springs to every second node; 0: none, of "mass_spring" by `bending`. Not of "choi_ko"
compression      stiffness in compression as a fraction of that in tension, 0..1. "choi_ko" has none; "square_network" has it too
buckling         N/m, of "choi_ko": the slope cb up to the load at which a span buckles; `stretch`
Of membranes, and of "square_network" the stretches, stretch_shear, bending_warp and bending_weft (an elastic modulus times
the thickness, or times its cube by 12; weft is along increasing j of the grid; no twist, no lateral contraction):
tension of a strip per width and strain; by default those of the preset's springs on a square grid:
stretch_warp     N/m, along the warp: increasing u of a textured mesh, else the x axis of the rest shape (z across it)
stretch_weft     N/m, along the weft
stretch_poisson  N/m, tension in one direction per strain in the other
stretch_shear    N/m, per angle in radians
limit_stiffness  N/m, additional stiffness where a principal strain is over strain_limit; 0: edges over it are shortened
                 instead
warp_angle       rad, rotates the warp toward the weft; 0
bending_warp     N m, rigidity of a strip cut along the warp; `bending`
bending_weft     N m, along the weft; `bending`
bending_bias     N m, at 45 degrees to them; `bending`
bending_model    "hinge": by the angles between faces; "quadratic": linear forces, for a flat rest shape; "hinge"
Creases, of "springs" and of membranes with the bending model "hinge" (docs/algorithms.md 4.10):
yield_curvature  1/m, the elastic range: where a fold is bent further than this from its angle at rest, the difference stays as a
                 crease; 0: elastic. A fold of an edge where the mesh is 1 cm wide keeps 90 degrees less 0.01 m times it (rad)
bending_hardening  >= 0: the elastic range grows by it times the curvature that has stayed; 0
Plastic stretching, of all models but "square_network" (the same section):
yield_strain     the elastic range: where cloth is longer than at rest by more than this share (0.03 is 3 %), its length at rest
                 follows; 0: elastic. Pulled once to the ratio r, a strip of a membrane keeps (r/(1 + yield_strain))^(1/(1 + H)),
                 with H the next; networks of springs keep less, as their diagonals are stretched less
stretch_hardening  >= 0: the elastic range grows by it times the stretch that has stayed, both as logarithms; 0
                 strain_limit is of the whole stretch, and limit_stiffness must be 0
recovery_time    s, with which creases and plastic stretch fade, by 63 % each; 0: they stay
Measured fabrics have tables of stiffness; density, damping, drag, strain_limit, warp_angle and these five may be changed.
"neo_hookean" needs both stretches to be at least stretch_poisson + 2 stretch_shear.
world:cloth accepts such a table or a name directly.]],
    [[local heavy = muslin.material { preset = "cotton", density = 0.6 }]] },
  { "muslin.material.presets", "muslin.material.presets()  -> list of names", "The names of the material presets." },
  { "muslin.response", "muslin.response {rule, friction, restitution, between, failsafe, name}  -> response",
    [[A response to contacts, for world:respond.
rule         a function of one contact that returns the impulse (N s) on side 1, or one for each side (by default the second is
             minus the first); traced as by muslin.rule, or made by it. Or a muslin.potential; in potential pipelines only that. By default
             the pipeline's own response, which may also be given by its stage's name
trace        false: such a function is called for each contact instead (true)
friction     Coulomb coefficient >= 0, overrides the pair's; for functions see world:between
restitution  0..1, overrides the pair's
between      {a, b}: names or objects, which must be in the world when the response is added; {a}: a against anything; by default every pair
failsafe     the pipeline's fail-safe stage
name         for statistics and messages
The fail-safe follows every rule: no rule can cause an intersection, except in classic pipelines without a guarantee.]],
    [[world:respond(muslin.response {
  between = {"sheet", "ball"},
  rule = function(c) return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal end,
})]] },
  { "muslin.rule", "muslin.rule([options,] f)  -> rule",
    [[A response rule from a function of one contact, for muslin.response. The function is traced: called once, with symbolic numbers
in place of those of a contact; the recorded operations then run over all contacts together, without Lua. The results are the same bits
as calling the function for one contact after the other.
Available: the fields of a contact (contact.normal and the others, except vertices, weights, objects, impulse), operators + - * / // ^,
methods of vec3, muslin.max min clamp abs sqrt floor exp log sin cos tan asin acos atan2 pow, lt le gt ge eq ne, select, step,
smoothstep, noise, muslin.param, functions of your own, and loops of a fixed length. Not available: `if`, `and` or `or` on a traced
number, which has no value yet. Comparisons < <= and == of two traced numbers raise an error; `==` with a plain value is false, and a
traced number as a condition is true, without an error, as Lua calls no function for them: check = true finds them. Other variables
that the function reads keep the value that they have now.
Options:
trace   false: called for each contact, with plain numbers; about 1 us per contact, without these restrictions (true)
check   true: both, compared at each contact; a difference raises an error that names it (false)
per     "node": the function is evaluated for each cloth vertex of a contact that can move, and returns its new velocity (m/s).
        contact.velocity is then the vertex' own, in the frame of the center of mass of the vertices involved (against an obstacle, of
        its surface; a rigid body counts as one of the vertices, with its effective mass there), contact.mass its mass, contact.normal
        that of the face at the start of the step; as Provot 1997, eq. 4
        ("contact")]],
    [[local mu = muslin.param("mu", 0.3)
local sticky = muslin.rule(function(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local jn = muslin.max(-vn, 0) * c.mass
  return jn * c.normal - muslin.min(mu * jn, vt:length() * c.mass) * vt:normalized()
end)]] },
  { "muslin.potential", "muslin.potential(f)  -> rule",
    [[A contact energy (J) for muslin.response, from a function of one contact, traced as by muslin.rule, and evaluated for all contacts at
once (by "vbd" vertex by vertex). In "robust", "lively" and "exhaustive" it takes the place of the built-in response for its pairs and
is solved together with cloth, bodies and all other contacts, which may have rules; a gap of 0.15 of the thickness is kept under it,
whatever the energy. In the potential pipelines ("offset", "newton", "vbd") it takes the place of their own. Normal force and curvature
are its derivatives along the normal; negative curvature is left out. The energy acts only below the thickness, where gap < 0, and it and
its slope should be 0 at gap 0; below 0.05 of the thickness it is continued as a parabola. The friction limit follows from its normal
force. It may also depend on slip: its derivative by slip is a force against it, in addition to friction (with friction = 0 it is the
only one). It must not decrease with slip, and its slope at slip 0 must be 0, as that of slip ^ 2. Displacements are certified for any
energy: nothing penetrates. An energy that attracts the sides by more than ten thicknesses in a step raises an error: most often
its sign is wrong.
Fields: gap, distance, thickness, depth, start_gap (m, gap at the start of the step), slip (m, tangential displacement of the sides
relative to each other in this step), friction, mass (kg), dt, time (s), kind.]],
    [[local k = muslin.param("k", 20)
world:respond { rule = muslin.potential(function(c) return 0.5 * k * c.gap ^ 2 end) }]] },
  { "muslin.node_force", "muslin.node_force([options,] f)  -> rule",
    [[A force on every vertex, for world:force, from a function of one vertex that returns it (N). Traced as by muslin.rule, and evaluated
for all vertices at once, with its derivatives: the implicit step and potential pipelines include its derivatives by position and
velocity, and are stable for a stiff force at any dt (negative eigenvalues of the derivatives are left out). Explicit integrators
evaluate it once per step. Fields: position (m), velocity (m/s), normal (unit, of the cloth), area (m^2, a third of the faces around it, as
they are), mass (kg), time, dt (s).
Options: trace = false (each vertex by itself, without derivatives), check = true, as those of muslin.rule.]],
    [[world:force(muslin.node_force(function(n) return -2 * n.mass * n.velocity end))]] },
  { "muslin.motion", "muslin.motion(f)  -> rule",
    [[A motion for obstacle:move from a function of time (s) that returns the position {x, y, z} (m) and, for a rotation, a unit quaternion
{w, x, y, z}. Traced as by muslin.rule: it runs without Lua, with the bits of the plain function; a muslin.param in it may be changed
between steps, and the obstacle moves to its new position in the next step.]],
    [[local ball = world:obstacle { shape = "sphere", radius = 0.1, at = {0, 1, 0} }
ball:move(muslin.motion(function(t) return { 0, 1 + 0.1 * muslin.sin(t), 0 } end))]] },
  { "muslin.wind", "muslin.wind(f)  -> rule",
    [[A wind that depends on position and time, for world:force, from a function of a position (vec3, m) and the time (s) that returns the
velocity of the air (m/s). Traced as by muslin.rule, and evaluated at the middle of every face at the start of each step; it adds to
world.wind and to other winds. Its force follows from air_density and the material's drag coefficient.]],
    [[world:force(muslin.wind(function(x, t) return muslin.vec3(4 + muslin.sin(9 * t) * muslin.noise(3 * x), 0, 0) end))]] },
  { "muslin.coefficient", "muslin.coefficient([options,] f)  -> rule",
    [[Friction or restitution of a pair for world:between, from a function of one contact that returns the coefficient: friction >= 0,
restitution 0..1, else the step raises an error with the line of the function and the value. Traced as by muslin.rule, and evaluated
when a contact is found; the value is used for the step (under "newton" for an iteration, after which contacts are found anew, as they
are where a step is split or a hit is resolved again). world:between accepts a plain function too, and traces it.
Fields: those of a contact (normal, gap, distance, thickness, depth, start_gap, mass, points, dt, toi, time, kind), and
velocity     m/s, of side 1 relative to side 2 at the start of the step, as the previous one left it: 0 where they stick
load         N along the normal, the force that the contact carried in the last step (in potential pipelines: the normal force of
             its energy at the start of the step); 0 where it is unknown: of new contacts, of rules' contacts, and of cloth in classic
             pipelines or in a world with rigid bodies
warps        unit, one per side: along the warp of the deformed cloth, within the plane of the contact; 0 of an obstacle. The warp is
             that of muslin.material's membranes, whatever the model; normal:cross(warp) is along the weft, with either sign
friction, restitution   the values of the materials, or numbers set for the pair
Options: trace = false, check = true, as those of muslin.rule.]],
    [[-- static friction that falls with slip (Stribeck)
local rubbed = muslin.coefficient(function(c)
  local slip = (c.velocity - c.normal:dot(c.velocity) * c.normal):length()
  return 0.2 + 0.2 * muslin.exp(-(slip / 0.05) ^ 2)
end)]] },
  { "muslin.spring_law", "muslin.spring_law(f)  -> rule",
    [[A law of springs for cloth:spring_law, from a function of one spring that returns its tension (N, negative in compression). Traced
as by muslin.rule, and evaluated for all springs at once, with its derivatives by length and by rate. Fields: length, rest (m), strain
(length/rest - 1), rate (m/s, of the length). The implicit step and potential pipelines include the derivatives, without their
destabilizing parts, and are stable for a stiff law at any dt; "position_based" too; explicit integrators choose their substeps by the
steepest slope at lengths within a tenth of the present one. The material's damping acts in addition, as a multiple of the slope:
damping = 0 leaves only the law's own rate. A result that is not finite raises an error with the line of the function and the spring.
Energies are integrals of the tension at zero rate.]],
    [[local stiffening = muslin.spring_law(function(s) return 300 * s.rest * s.strain * (1 + 50 * s.strain ^ 2) end)]] },
  { "muslin.param", "muslin.param(name, value [, min, max])  -> param",
    [[A named number for traced functions, which may be changed between steps without tracing again. Several functions may share it.
Outside of a trace it stands for its present value in arithmetic and in the functions of muslin. With a range, min < max, the
preview shows a slider, which changes the value while the scene plays; a right click restores the script's. It has effect where the
value is read later: in traced functions and hooks. A scene that is loaded again keeps it, if the script's value is the same.]],
    [[local mu = muslin.param("mu", 0.3) mu:set(0.5)
local gust = muslin.param("gust", 2, 0, 10)  -- m/s, a slider in the preview
world:force(muslin.wind(function(n) return muslin.vec3(gust, 0, 0) end))]] },
  { "param:set", "param:set(value)", "Sets the value, a finite number, from the next contacts on." },
  { "param:get", "param:get()", "The present value." },
  { "rule:set", "rule:set(name, value)", "The value of a muslin.param that the traced function uses, by its name." },
  { "rule:get", "rule:get(name)", "The present value of a muslin.param that the traced function uses." },
  { "rule:explain", "rule:explain()  -> text",
    "Describes the traced program: operations by kind, inputs, every line, results, and derivatives if there are any." },
  { "expression:dot", "e:dot(w)", "Of a traced vector, as vec3:dot." },
  { "expression:cross", "e:cross(w)", "Of a traced vector, as vec3:cross." },
  { "expression:length", "e:length()", "Of a traced vector, as vec3:length; its derivative at zero is zero." },
  { "expression:length2", "e:length2()", "Of a traced vector, as vec3:length2." },
  { "expression:distance", "e:distance(w)", "Of a traced vector, as vec3:distance." },
  { "expression:normalized", "e:normalized()", "Of a traced vector, as vec3:normalized." },
  { "expression:lerp", "e:lerp(w, t)", "Of a traced vector, as vec3:lerp." },
  { "muslin.load", "muslin.load(path [, {rules, hooks}])  -> world",
    [[A world from a file of world:save: it continues bit for bit from the saved state, log and math.random included.
A file contains no functions. The world does not step until all functions of the saved one are set again, and names those that are
missing: motions (obstacle:move), paths of pins (cloth:pin), functions of friction and restitution (world:between), laws of
springs (cloth:spring_law), hooks and forces (world:on, world:force).
rules   a list of functions for the responses that had one, in order
hooks   false: continue without hooks and forces (true)]],
    [[local world = muslin.load("half.muslin") world:find("ball"):move(motion)]] },
  { "muslin.vec3", "muslin.vec3(x, y, z) or muslin.vec3(v)  -> vec3",
    "A vector of three numbers, a value: fields x, y, z and [1]..[3] cannot be set. Operators + - * / == and " ..
      "unary minus; * and / are by a number.",
    [[local n = (muslin.vec3(1, 2, 3) - {1, 0, 0}):normalized()]] },
  { "muslin.array", "muslin.array(n [, components]) or muslin.array(table)  -> array",
    "A new array: n rows of zeros, vectors (components 3, the default) or numbers (1), or a table's rows {x, y, z} or numbers.",
    [[local start = muslin.array(#cloth.x, 3)]] },
  { "muslin.ccd", "muslin.ccd", "Continuous collision detection of single pairs: vertex_face and edge_edge." },
  { "muslin.ccd.vertex_face", "muslin.ccd.vertex_face(t0, t1 [, thickness])  -> time or nil",
    [[The earliest time in [0, 1] at which a vertex and a face that move linearly come within `thickness` (m, 0) of each other,
or nil. Never later than the exact time. t0, t1: 12 numbers in the order v f0 f1 f2, or four positions.]],
    [[muslin.ccd.vertex_face({0,1,0, -1,0,-1, 1,0,-1, 0,0,1}, {0,-1,0, -1,0,-1, 1,0,-1, 0,0,1})  --> about 0.5]] },
  { "muslin.ccd.edge_edge", "muslin.ccd.edge_edge(t0, t1 [, thickness])  -> time or nil",
    "The same for two edges: 12 numbers in the order a0 a1 b0 b1, or four positions." },
  { "muslin.distance", "muslin.distance", "Distances of single pairs: vertex_face and edge_edge." },
  { "muslin.distance.vertex_face", "muslin.distance.vertex_face(points)  -> m, {w0, w1, w2}",
    "Distance of a vertex from a face and the barycentric weights of the nearest point. points: v f0 f1 f2." },
  { "muslin.distance.edge_edge", "muslin.distance.edge_edge(points)  -> m, {s, t}",
    "Distance of two edges and the positions of the nearest points along them, 0..1. points: a0 a1 b0 b1." },
  { "muslin.intersects", "muslin.intersects(a, b)  -> boolean, kind",
    [[Whether two triangles (9 numbers or three positions each) cross, decided exactly; kind is "crossing", "touch" or nil.
A touch is not a crossing.]] },
  { "muslin.audit", "muslin.audit(path [, {tolerance}])  -> report",
    [[The exact intersection check of an OBJ, PLY, STL, glTF or .usda file; parts named "obstacle:..." are obstacles. See world:audit.]] },
  { "muslin.stages", "muslin.stages()  -> list", "All stages of pipelines: {kind, name, doc, citation}." },
  { "muslin.pipelines", "muslin.pipelines",
    "The presets of pipelines: [name] = {doc, integrator, broad, narrow, response, failsafe, strain, internal, collision_step}." },
  { "muslin.build", "muslin.build()  -> {version, compiler, cpu, simd}",
    "Version and compiler of this build, the processor, and the instruction set that the kernels use." },
  { "muslin.version", "muslin.version", "The version as a string." },
  { "muslin.type", "muslin.type(value)  -> string",
    [["world", "cloth", "obstacle", "seam", "mesh", "material", "response", "rule", "contact", "contacts", "vec3", "array",
"canvas", or the result of Lua's type.]] },
  { "muslin.expect", "muslin.expect(value [, label])  -> expectation",
    [[A check, in a scenario or a scene's `done` hook, where expect is a global too; a failed check raises an error with the actual
and the expected value. Checks can be chained; expect(v).never:... is the opposite.
of anything          equals(x)  is_true()  is_false()  is_nil()  is_a(type)
of numbers           at_most(x)  at_least(x)  less_than(x)  more_than(x)  between(low, high)
and vectors, arrays  near(x [, tolerance])  finite()
of texts, lists      contains(text or item)  matches(pattern)
of functions         raises([text])
of worlds, cloths    penetration_free([tolerance])  at_rest([speed])  stretched_at_most(strain)  above(floor [, tolerance])
                     finite()  golden(name [, {tolerance}])
`muslin doc near` and so on describes each. For objects of a world the message ends with time, step and frame.]],
    [[expect(world):penetration_free():at_rest(0.05)]] },
  { "expectation.never", "expect(value).never:...", "The opposite of the check that follows.", [[world:advance(0.1)
expect(world).never:at_rest()]] },
  { "expectation:equals", "expect(value):equals(x)  -> expectation",
    "Equal to x; tables and arrays item by item. NaN equals nothing." },
  { "expectation:is_true", "expect(value):is_true()  -> expectation", "The value true; all other values fail." },
  { "expectation:is_false", "expect(value):is_false()  -> expectation", "The value false; nil fails." },
  { "expectation:is_nil", "expect(value):is_nil()  -> expectation", "The value nil." },
  { "expectation:is_a", "expect(value):is_a(type)  -> expectation", [[Its muslin.type: "number", "vec3", "cloth", ...]] },
  { "expectation:near", "expect(value):near(x [, tolerance])  -> expectation",
    [[Within the tolerance of x: numbers by their difference, vectors by their distance, arrays and lists item by item.
The default tolerance is 1e-9 times the greater of 1 and |x|. NaN is near to nothing.]], [[world:advance(0.5)
expect(world.time):near(0.5, 1e-6)]] },
  { "expectation:at_most", "expect(number):at_most(x)  -> expectation", "A number <= x." },
  { "expectation:at_least", "expect(number):at_least(x)  -> expectation", "A number >= x." },
  { "expectation:less_than", "expect(number):less_than(x)  -> expectation", "A number < x." },
  { "expectation:more_than", "expect(number):more_than(x)  -> expectation", "A number > x." },
  { "expectation:between", "expect(number):between(low, high)  -> expectation", "low <= the number <= high." },
  { "expectation:contains", "expect(text or list):contains(text or item)  -> expectation",
    "A string that contains the text, not as a pattern, or a list with an equal item." },
  { "expectation:matches", "expect(text):matches(pattern)  -> expectation", "A string that contains a match of the Lua pattern." },
  { "expectation:raises", "expect(f):raises([text])  -> expectation",
    "Calls f(), which must raise an error; its message contains the text, or matches it as a Lua pattern.",
    [[expect(function() world:cloth {} end):raises "field 'mesh' is missing"]] },
  { "expectation:finite", "expect(value):finite()  -> expectation",
    "No NaN and no infinity: in a number, vector or array, or in positions and velocities of a cloth or of all cloths of a world." },
  { "expectation:penetration_free", "expect(world):penetration_free([tolerance])  -> expectation",
    [[No faces of the world intersect now, and no feature is deeper inside an obstacle than the tolerance, m (1e-4). The auditor checks
it with exact predicates. Cloth that has passed completely through a sheet since the last check, which is possible without the
guarantee, intersects nothing: check its height as well, with above.]],
    [[world:on("frame", function(w) expect(w):penetration_free() end)]] },
  { "expectation:at_rest", "expect(world or cloth):at_rest([speed])  -> expectation", "No vertex is faster than 0.01 m/s, or the speed." },
  { "expectation:stretched_at_most", "expect(world or cloth):stretched_at_most(strain)  -> expectation",
    "No edge is stretched by more: 0.1 is 10 %." },
  { "expectation:above", "expect(world or cloth):above(floor [, tolerance])  -> expectation",
    "Above a plane or a height (m), by all but the tolerance (m, 1e-4), or outside of another obstacle." },
  { "expectation:golden", "expect(world or cloth):golden(name [, {tolerance}])  -> expectation",
    [[Equal to the state in golden/FILE.NAME.txt beside the test, to the bit, or every vertex within the tolerance, m. muslin test
--update-golden writes that file.]] },
  { "muslin.scenario", "muslin.scenario(name [, {time_limit, memory_limit, seed}], f)",
    [[One test of a *_test.lua file, run by `muslin test`; a global of scenes too. Each starts with the same random numbers,
and the worlds that f makes are closed at its end. f gets what the file's `before` functions return.
time_limit    s; 300, or --time-limit
memory_limit  MB, of Lua, and of worlds and meshes; 1000 (--memory-limit), 4300
seed          of math.random; 1, or --seed
When it fails its worlds are saved under --out (out/failed): a state for muslin.load, and a picture.]],
    [[scenario("it falls", function() local world = muslin.world() world:advance(0.1) expect(world):finite() end)]] },
  { "muslin.scenario.each", "muslin.scenario.each(cases) (name [, options], f)",
    [[A scenario for every case of a list, or, of lists by name, for every combination. The case is the first argument of f. "{n}" in the
name is replaced by the case's n, "{}" by a case that is not a table; a name without them gets the case appended.]],
    [[scenario.each { n = {8, 32}, material = {"cotton", "silk"} } ("{material}, {n} nodes", function(p) print(p.n) end)]] },
  { "muslin.scenario.together", "muslin.scenario.together()",
    [[The scenarios of the file run one after the other, in one process. With --jobs they are distributed over processes, each of which
runs the file's main part first: call this where scenarios share a file that they write.]] },
  { "muslin.before", "muslin.before(f)",
    "f() is called before every scenario of the file, which gets the results of f (after the case of scenario.each and property).",
    [[before(function() local world = muslin.world {} return world, world:cloth { mesh = muslin.mesh.grid { nodes = {8, 8} } } end)]] },
  { "muslin.property", "muslin.property(name, generators [, {cases, seed, examples, shrinks, time_limit, memory_limit}], f)",
    [[A scenario over random cases: f gets a table sampled from `generators`, a table of muslin.property.integer and the others by name
(or one of them; other values are constants). The first case that fails is reduced as long as it fails in the same way, and
printed as Lua: in `examples` it is then tried first.
cases     25
seed      of the samples; 1, or --seed. A property's cases depend on its name, the seed and their number alone
examples  list of cases that are tried before any other
shrinks   largest number of reduced cases that are tried; 200
A global of scenes, too.]],
    [[property("nothing passes", property.scene {}, { cases = 10 }, function(scene)
  local world = property.world(scene)
  world:advance(0.5)
  expect(world):penetration_free()
end)]] },
  { "muslin.property.integer", "muslin.property.integer(low, high)  -> generator", "Whole numbers; nearer to zero is simpler." },
  { "muslin.property.number", "muslin.property.number(low, high)  -> generator",
    "Numbers of nine digits; nearer to zero, or shorter, is simpler." },
  { "muslin.property.vector", "muslin.property.vector(low, high)  -> generator",
    "{x, y, z}, each from low to high, or from low[k] to high[k]." },
  { "muslin.property.choice", "muslin.property.choice {a, b, ...}  -> generator", "One of them; earlier ones are simpler." },
  { "muslin.property.list", "muslin.property.list(generator, least, most)  -> generator", "Lists; shorter is simpler." },
  { "muslin.property.scene", "muslin.property.scene {cloths, obstacles, nodes, speed, materials, thickness}  -> generator",
    [[Scenes as plain tables: flat sheets above each other, over obstacles, which may overlap, and a floor.
cloths     {least, most}; {1, 3}
obstacles  {least, most}: spheres, boxes, capsules; {0, 2}
nodes      {least, most} along an edge; {3, 9}
speed      m/s, of the start in each axis; 2
materials  names; {"cotton"}
thickness  {least, most}, m; {1e-3, 4e-3}]] },
  { "muslin.property.world", "muslin.property.world(scene [, options])  -> world",
    "The world of such a table, with the options of muslin.world ({dt = 1/120})." },
  { "muslin.skip", "muslin.skip(reason)",
    "Ends a scenario as skipped: neither passed nor failed. A global of scenes too." },
  { "muslin.arguments", "muslin.arguments(defaults [, words])  -> table",
    [[The parameters of a scene: `defaults` (numbers, strings or booleans, which set the types) overridden by the arguments NAME=VALUE after
`--` on the command line. Raises an error for a name without a default. `words` is the global `arg` by default. A sweep passes its
parameters this way.]],
    [[local options = muslin.arguments { friction = 0.3, nodes = 40, material = "cotton" }]] },
  { "muslin.random", "muslin.random(name)  -> stream",
    [[A stream of random numbers of that name, the same object for every call: stream(), stream(high) and stream(low, high)
return numbers as math.random does. Streams are independent: a scene keeps its numbers where another part of it uses
more. Streams start from the seed of math.random, and restart with it; snapshots contain them.]],
    [[local gusts = muslin.random "gusts"  local strength, side = gusts:number(0.5, 2), gusts(4)]] },
  { "stream:number", "stream:number([low, high])", "A number in [low, high); 0 and 1." },
  { "muslin.max", "muslin.max(x, ...)", "The largest number; NaN if one is NaN." },
  { "muslin.min", "muslin.min(x, ...)", "The smallest number; NaN if one is NaN." },
  { "muslin.clamp", "muslin.clamp(x, low, high)", "x, limited to low..high." },
  { "muslin.select", "muslin.select(condition, x, y)",
    "x where the condition is true, or a number that is not 0; else y. For traced numbers both are numbers, or both vectors.",
    "muslin.select(muslin.lt(1, 2), 10, 20)" },
  { "muslin.lt", "muslin.lt(x, y)", "1 where x < y, else 0. The minimum of two such results is their `and`, the maximum their `or`." },
  { "muslin.le", "muslin.le(x, y)", "1 where x <= y, else 0." },
  { "muslin.gt", "muslin.gt(x, y)", "1 where x > y, else 0." },
  { "muslin.ge", "muslin.ge(x, y)", "1 where x >= y, else 0." },
  { "muslin.eq", "muslin.eq(x, y)", [[1 where x == y, else 0; also of a contact's kind and a string, such as "edge_edge".]] },
  { "muslin.ne", "muslin.ne(x, y)", "0 where x == y, else 1." },
  { "muslin.step", "muslin.step(edge, x)", "0 where x < edge, else 1." },
  { "muslin.smoothstep", "muslin.smoothstep(low, high, x)", "0 up to low, 1 from high on, 3 t^2 - 2 t^3 between." },
  { "muslin.noise", "muslin.noise(place [, seed])",
    "Smooth noise within -1..1: random numbers at the points with integer coordinates, interpolated between them; twice " ..
      "differentiable. The same position and seed give the same number on every machine.", "muslin.noise({0.5, 1.2, 3}, 7)" },
  { "muslin.floor", "muslin.floor(x)", "The largest integer that is not above x." },
  { "muslin.abs", "muslin.abs(x)", "Absolute value." },
  { "muslin.sqrt", "muslin.sqrt(x)", "Square root." },
  { "muslin.sin", "muslin.sin(x)", "Sine (rad), with the same bits on every machine." },
  { "muslin.cos", "muslin.cos(x)", "Cosine (rad), with the same bits on every machine." },
  { "muslin.tan", "muslin.tan(x)", "Tangent (rad), with the same bits on every machine." },
  { "muslin.asin", "muslin.asin(x)", "Arc sine, rad." },
  { "muslin.acos", "muslin.acos(x)", "Arc cosine, rad." },
  { "muslin.atan2", "muslin.atan2(y, x)", "Angle of (x, y), rad, -pi..pi." },
  { "muslin.exp", "muslin.exp(x)", "e to the x." },
  { "muslin.log", "muslin.log(x)", "Natural logarithm." },
  { "muslin.pow", "muslin.pow(x, y)", "x to the y." },

  -- Measures of shape -------------------------------------------------------------------------------------------------
  { "muslin.measure", "muslin.measure", "Measures of the shape of cloth and meshes, for checks: folds, turns and layers." },
  { "muslin.measure.folds", "muslin.measure.folds(object, line [, {length, angle}])  -> count, positions",
    [[Folds of a line of vertices of a cloth or mesh: maxima of its curvature. At each vertex the direction over the length before it is
compared with the direction over the length after it, along the line; a fold is where they differ by more than the angle, until they
differ by less than half of it. Ends of the line, within a length, have none. positions: of the folds in the line.
length  m, > 0; two edges of the line, by their mean
angle   rad, between 0 and pi; 2 pi/3: a crease of cloth that lies over itself, but neither a roll nor a right angle]],
    [[local strip = muslin.mesh.grid { nodes = {2, 9}, size = {0.1, 0.8} }
local middle = {}
for j = 0, 8 do
  middle[j + 1] = 1 + 2 * j
  for i = 1, 2 do strip.x[i + 2 * j] = {0.1 * math.abs(4 - j), 0.01 * j, 0.1 * i} end
end
assert(muslin.measure.folds(strip, middle) == 1)]] },
  { "muslin.measure.turns", "muslin.measure.turns(object, line [, {origin, axis}])  -> number",
    [[Turns of a line of vertices about an axis: the sum of the angles from vertex to vertex, counterclockwise seen from the tip of the
axis, in full turns. Vertices on the axis are skipped. A line from the middle of a cloth to its hem is wound as often around a
body.
origin  a point of the axis, m; {0, 0, 0}
axis    its direction, of any length > 0; {0, 1, 0}]],
    [[local grid = muslin.mesh.grid { nodes = {3, 3} }
assert(math.abs(muslin.measure.turns(grid, {1, 7, 9, 3, 1}) - 1) < 1e-12)]] },
  { "muslin.measure.layers", "muslin.measure.layers(object [, {axis, spacing}])  -> {area, mean, most, share}",
    [[Layers of a cloth or mesh: parallel lines are intersected with its faces. area: m^2, of the projection along the lines, the covered
area; mean: layers per line, of the lines that meet a face; most: the largest number; share: of those lines, the share with one
layer, with two, and so on.
axis     direction of the lines, "x", "y" or "z"; "y"
spacing  m, between lines, both ways; 1/200 of the diagonal of the object's bounds]],
    [[local ball = muslin.measure.layers(muslin.mesh.sphere { radius = 0.5 }, { axis = "z" })
assert(ball.most == 2 and math.abs(ball.area - math.pi / 4) < 0.03)]] },

  -- Rotations -------------------------------------------------------------------------------------------------------
  { "muslin.rotation", "muslin.rotation",
    "Rotations as unit quaternions {w, x, y, z}, for obstacles, motions and transformations: axis, euler, between, multiply, inverse, " ..
      "apply. Angles are in rad, math.rad(30) is 30 degrees; rotations are counterclockwise seen from the tip of the axis.",
    [[muslin.rotation.axis({0, 1, 0}, math.rad(30))]] },
  { "muslin.rotation.axis", "muslin.rotation.axis(axis, angle)  -> {w, x, y, z}",
    "The rotation about an axis {x, y, z} of any length by an angle, rad. The angle may be a traced number, as in a muslin.motion.",
    [[local q = muslin.rotation.axis({0, 2, 0}, math.rad(90))
local v = muslin.rotation.apply(q, {1, 0, 0})
assert(math.abs(v.z + 1) < 1e-15)]] },
  { "muslin.rotation.euler", "muslin.rotation.euler(x, y, z [, order])  -> {w, x, y, z}",
    [[Three rotations about the world's axes by the angles x, y and z (rad), one after the other in the order of the letters: "xyz" rotates
about x first, then about y, then about z. For rotations about the body's own axes, which rotate with it, read the letters from the last
to the first. The angles may be traced numbers. order: "xyz", or any other of the six.]],
    [[local q = muslin.rotation.euler(0, math.rad(90), math.rad(90), "zyx")
local v = muslin.rotation.apply(q, {1, 0, 0})
assert(math.abs(v.y - 1) < 1e-15)]] },
  { "muslin.rotation.between", "muslin.rotation.between(a, b)  -> {w, x, y, z}",
    "The smallest rotation that takes direction a to direction b, vectors of any length. For opposite ones it is half a turn about a " ..
      "normal axis, always the same.",
    [[local axis = muslin.vec3(1, 2, 3)
local v = muslin.rotation.apply(muslin.rotation.between({0, 1, 0}, axis), {0, 1, 0})
assert((v - axis:normalized()):length() < 1e-15)]] },
  { "muslin.rotation.multiply", "muslin.rotation.multiply(a, b)  -> {w, x, y, z}",
    "The rotation b followed by the rotation a. Their numbers may be traced.",
    [[local quarter = muslin.rotation.axis({0, 1, 0}, math.rad(90))
local half = muslin.rotation.multiply(quarter, quarter)
assert(math.abs(half[1]) < 1e-15)]] },
  { "muslin.rotation.inverse", "muslin.rotation.inverse(q)  -> {w, x, y, z}", "The inverse rotation. Its numbers may be traced.",
    [[muslin.rotation.inverse(muslin.rotation.axis({0, 0, 1}, 0.3))]] },
  { "muslin.rotation.apply", "muslin.rotation.apply(q, v)  -> vec3", "The vector v {x, y, z}, rotated by q.",
    [[muslin.rotation.apply({axis = {0, 0, 1}, angle = math.rad(90)}, {1, 0, 0})]] },

  -- Meshes ----------------------------------------------------------------------------------------------------------
  { "muslin.mesh.grid", "muslin.mesh.grid {nodes, size, plane, center}  -> mesh",
    [[A rectangle of nodes = {nu, nv} vertices, size in m ({1, 1}), in plane "xz" (or "xy", "yz") about center.
Vertex i + (j-1) nu is node (i, j); diagonals alternate with i + j, the first from (1, 1) to (2, 2). It has uv.]],
    [[muslin.mesh.grid { nodes = {40, 40}, size = {1, 1}, center = {0, 0.85, 0} }]] },
  { "muslin.mesh.strip", "muslin.mesh.strip {nodes, size, plane, center}  -> mesh",
    [[A vertical grid: as mesh.grid, in plane "xy" by default, and size is required.]] },
  { "muslin.mesh.disc", "muslin.mesh.disc {radius, rings, plane, center}  -> mesh",
    "A disc of `rings` (8) rings of triangles." },
  { "muslin.mesh.sphere", "muslin.mesh.sphere {radius, subdivisions, center}  -> mesh",
    "An icosahedron split `subdivisions` (3) times with its vertices on the sphere: 20 * 4^n faces." },
  { "muslin.mesh.icosahedron", "muslin.mesh.icosahedron {radius, center}  -> mesh", "12 vertices, 20 faces." },
  { "muslin.mesh.box", "muslin.mesh.box {size, center}  -> mesh", "size = {x, y, z} in m; 8 vertices, 12 faces." },
  { "muslin.mesh.capsule", "muslin.mesh.capsule {radius, length, segments, rings, center}  -> mesh",
    "Axis y; length between the centers of the caps; segments (24) around, rings (6) on each cap." },
  { "muslin.mesh.cylinder", "muslin.mesh.cylinder {radius, length, segments | edge_length, axis, center}  -> mesh",
    [[A closed cylinder with flat caps, its faces outward. radius and length in m, length along axis ("y"; or "x", "z"), center the
middle of the axis. segments (32) around, or edge_length (m): either sets the other, and rows and rings of the caps have edges as long.]],
    [[muslin.mesh.cylinder { radius = 0.1, length = 0.6, axis = "x" }]] },
  { "muslin.mesh.tube", "muslin.mesh.tube {radius, length, segments | edge_length, axis, center}  -> mesh",
    [[A cylinder without caps, as sleeves, trouser legs and straight skirts are: options as of mesh.cylinder. It has uv: the tube
unrolled (m), cut along its first segment, for cloth with rest = "uv". Diagonals alternate as in mesh.grid.]],
    [[muslin.mesh.tube { radius = 0.09, length = 0.5, edge_length = 0.015 }]] },
  { "muslin.mesh.cone", "muslin.mesh.cone {radius, top_radius, length, segments | edge_length, caps, axis, center}  -> mesh",
    [[A cone on a base of radius (m), length (m) high along axis ("y"; or "x", "z"), center the middle of its axis; top_radius (0) makes it
a frustum. Closed, faces outward; caps = false leaves the base and the top open (a flared skirt). segments (32) around the wider end, or
edge_length (m); rings near the tip have fewer.]],
    [[muslin.mesh.cone { radius = 0.4, top_radius = 0.15, length = 0.6, caps = false, edge_length = 0.02 }]] },
  { "muslin.mesh.torus", "muslin.mesh.torus {radius, tube_radius, segments | edge_length, axis, center}  -> mesh",
    [[A ring of round cross-section about axis ("y"; or "x", "z"): radius (m) to the middle of the tube, tube_radius (m) of the tube, less
than radius. segments (32) around the outermost circle, or edge_length (m). Closed, faces outward.]],
    [[muslin.mesh.torus { radius = 0.3, tube_radius = 0.05, segments = 64 }]] },
  { "muslin.mesh.annulus", "muslin.mesh.annulus {radius, inner_radius, segments | edge_length, plane, center}  -> mesh",
    [[A flat ring, as a circle skirt is cut: between inner_radius and radius (m), in plane "xz" (or "xy", "yz") about center. segments (32)
around the outer circle, or edge_length (m); inner circles have fewer. It has uv.]],
    [[muslin.mesh.annulus { radius = 0.5, inner_radius = 0.12, edge_length = 0.02 }]] },
  { "muslin.mesh.polygon", "muslin.mesh.polygon {points, holes, lines, edge_length, plane, center}  -> mesh",
    [[A flat sheet with any simple outline: points = {{x, y}, ...} (m, along the two axes of the plane, in either direction; at most 4000
with those of holes), holes a list of such outlines. Sides are divided into edges of about edge_length (m), the inside is filled with nearly
equilateral triangles (constrained Delaunay); shorter sides stay as they are. plane "xz" (or "xy", "yz"); center is the position of
the outline's {0, 0}. Vertices: the given points in their order, those that divide sides, those of lines, the inside. It has uv.
Outlines that cross or touch themselves or each other are refused with an error that names the two sides. lines: a list of lists
of points inside or of an outline, such as fold lines, that edges run along; mesh:polyline has their vertices. Lines meet only at
points of both.]],
    [[muslin.mesh.polygon { points = {{0, 0}, {0.6, 0}, {0.3, 0.5}}, edge_length = 0.02 }
muslin.mesh.polygon { points = {{0, 0}, {0.6, 0}, {0.3, 0.5}}, edge_length = 0.02, lines = { {{0.3, 0.1}, {0.3, 0.5}} } }]] },
  { "muslin.mesh.load", "muslin.mesh.load(path [, {scale, up}])  -> mesh",
    [[Reads OBJ, PLY, STL, glTF (.glb, .gltf) or USD in text (.usda); a relative path starts at the working directory.
scale multiplies coordinates (1); up = "z" turns a z-up file to y-up. Vertex order is kept, and has no effect on the speed of
world:cloth; polygons are split into a fan from their first vertex. Errors name file, line and reason. Of a glTF file it is the
default scene in the pose of its nodes, with groups by node, or by material where a node has several; vertices that always move
together, as at texture seams, become one. Of a .usda all meshes are joined, a group for each, in the stage's unit and axis: see
muslin.usd.load.]],
    [[muslin.mesh.load("bunny.obj", { scale = 0.01, up = "z" })]] },
  { "muslin.mesh.new", "muslin.mesh.new {vertices, faces, uv, uv_faces, stitches, groups}  -> mesh",
    "A mesh from tables: rows {x, y, z} (or an array), rows of three indices from 1, and texture vertices {u, " ..
      "v}, one per vertex or indexed by uv_faces; stitches and groups as returned by mesh:stitches and mesh:groups.",
    [[muslin.mesh.new { vertices = {{0,0,0}, {1,0,0}, {0,1,0}}, faces = {{1, 2, 3}} }]] },
  { "mesh.x", "mesh.x  -> array", "A view of the vertices, m; writable." },
  { "mesh.vertex_count", "mesh.vertex_count", "Number of vertices." },
  { "mesh.face_count", "mesh.face_count", "Number of faces." },
  { "mesh.uv_count", "mesh.uv_count", "Number of texture vertices." },
  { "mesh.grid_nodes", "mesh.grid_nodes  -> {nu, nv} or nil", "Nodes of a mesh that is a grid." },
  { "mesh:save", "mesh:save(path)  -> mesh",
    "Writes OBJ, PLY, STL or VTP by the path's extension, to a temporary file that is then renamed." },
  { "mesh:transform", "mesh:transform(t)  -> mesh",
    "Moves the vertices in place. t: {position = {x, y, z}, rotation as of world:obstacle, scale = number or {x, y, " ..
      "z}}, or 9 or 12 numbers (rows of a matrix).",
    [[mesh:transform { position = {0, 1, 0}, scale = 0.5 }]] },
  { "mesh:subdivide", "mesh:subdivide(n)  -> mesh",
    "A new mesh with every face split in four, n (1) times; old vertices keep their numbers." },
  { "mesh:copy", "mesh:copy()  -> mesh", "A copy." },
  { "mesh:check", "mesh:check()  -> report",
    "Raises an error for non-manifold edges, faces of zero area, repeated vertices or repeated faces, which names the " ..
      "face; else returns {edges, boundary_edges, hinges, components, boundary_loops, unused_vertices, closed, " ..
      "orientable}." },
  { "mesh:area", "mesh:area()", "Area of all faces, m^2." },
  { "mesh:bounds", "mesh:bounds()  -> low, high", "Corners of the box around the vertices." },
  { "mesh:raycast", "mesh:raycast(from, to)  -> fraction, face",
    [[Where the segment between two places first meets the mesh: the fraction of the way, 0..1, and the number of the face; nil
where it does not. Touching counts, except within the plane of a face; no segment passes between faces that share an edge.
Arrays of 3 numbers a row in place of the places test all their rows at once, and return two arrays of one number a row:
fractions (math.huge: none) and faces (0: none).]],
    [[local ball = muslin.mesh.sphere { radius = 0.5 }
local fraction, face = ball:raycast({ 0, 2, 0 }, { 0, 0, 0 }) -- 0.75, and a face at the top]] },
  { "mesh:polyline", "mesh:polyline(points [, tolerance])  -> list",
    [[The vertices within the tolerance (m; 1e-6) of the line through two or more points {x, y, z}, in its order, each once: for
cloth:crease, pins, measures of folds.]],
    [[local square = muslin.mesh.grid { nodes = {5, 5}, size = {1, 1} }
local middle = square:polyline { {0, 0, -0.5}, {0, 0, 0.5} } -- five vertices]] },
  { "mesh:faces", "mesh:faces()  -> list", "Rows of three indices from 1." },
  { "mesh:stitches", "mesh:stitches()  -> list",
    "The stitches of a pattern's panels: rows {i, j, k, share}, vertex i to the point at the fraction share (0..1) from j to k. " ..
      "An OBJ has them as lines 'stitch i j k share', indices from 0." },
  { "mesh:groups", "mesh:groups()  -> list",
    "Named groups of consecutive faces, from the first to the last: rows {name, number of faces}; empty without groups. An OBJ has " ..
      "them as lines 'g NAME'." },

  -- Materials ---------------------------------------------------------------------------------------------------------
  { "material:with", "material:with {...}  -> material", "A copy of the material with some constants changed." },
  { "material:totable", "material:totable()  -> table", "The constants that its model uses, by name." },

  -- Stages of USD -----------------------------------------------------------------------------------------------------
  { "muslin.usd", "muslin.usd", "Universal Scene Description in text (.usda): load." },
  { "muslin.usd.load", "muslin.usd.load(path [, {scale, up}])  -> stage",
    [[Reads the meshes of a .usda, and its cloths and seams by the names of the proposal for deformable bodies in UsdPhysics (physics: or
omniphysics:). A mesh with PhysicsSurfaceDeformableSimAPI is a cloth: restShapePoints and restTriVtxIndices are its rest
shape, the warp along x if it lies in the plane z = 0; restBendAngles of restAdjTriPairs are creases, in degrees, and all
other folds are flat, or as that shape if restBendAnglesDefault is "restShapeDefault". Of the material bound to it come
surfaceThickness, density (kg/m^3), surfaceStretchStiffness, surfaceShearStiffness (N/m), surfaceBendStiffness (N m), or
youngsModulus and poissonsRatio, and dynamicFriction and restitution; files of muslin have the exact material besides
(muslin:material:NAME), and the masses of vertices that one density does not give (muslin:masses, kg). A mesh with
PhysicsCollisionAPI is an obstacle. PhysicsAttachment of points, or PhysicsVtxVtxAttachment, is a seam. Transforms, unit, axis, polygons,
left-handed and mirrored meshes, texture coordinates (primvars:st) and subsets of faces that have all triangles in their order
are read, of time samples without a default the first; stiffnesses of 0 beside a youngsModulus, and a density of 0, are not
given. Meshes of one name get their paths as names. Sublayers,
references, payloads, inherits and variants are errors: flatten such a file with usdcat --flatten. scale and up as in mesh.load.]],
    [[local stage = muslin.usd.load("shirt.usda")
stage:add(world)]] },
  { "stage.meshes", "stage.meshes  -> list",
    "Its meshes: {name, path (of the prim), mesh, cloth, collider, moves, rest, material, thickness, friction, restitution, masses,\n" ..
      "folds}; nil where the file is silent. rest is as in world:cloth; masses a list, kg; folds are rows {vertex, vertex, angle (rad)}." },
  { "stage.fps", "stage.fps  -> number", "Time codes per second." },
  { "stage.seams", "stage.seams  -> list",
    "Rows {a, b (numbers of meshes), vertices_a, vertices_b, stiffness (N/m)}." },
  { "stage:add", "stage:add(world [, {material, thickness, friction, restitution}])  -> list",
    [[Adds its cloths, then its obstacles, which follow their time samples, then its seams; returns the cloths and obstacles. The
options override what the file has, of all cloths; a material replaces the masses of vertices too.]],
    [[local added = muslin.usd.load("frame_000010.usda"):add(world, { thickness = 0.002 })]] },

  -- Sewing patterns ---------------------------------------------------------------------------------------------------
  { "muslin.pattern", "muslin.pattern {panels, stitches, edge_length, units, curvature, order}  -> pattern",
    [[A sewing pattern: flat panels with straight or curved edges, and stitches between edges. Its panels are triangulated.
panels       {name = {vertices, edges, folds, translation, rotation, label}, ...}: vertices rows {x, y}; edges a loop in order, of
             {endpoints = {i, j}, curvature, label}; rotation in degrees about the fixed axes x, then y, then z, and then translation
             {x, y, z} place it. Seen from the outside of the garment a loop is counterclockwise. folds: fold lines and pleats, a
             list of {points = {{x, y}, ...}, angle}, with the angle at rest (rad; 0) as in cloth:crease: positive toward the
             outside. Edges run along them. Ends within 0.75 edge_length of a point of the outline move there; a vertex of the
             loop where a fold ends makes that exact. pattern:add and muslin.dress crease the cloth
curvature    of an edge: nil for a straight one, {x, y} or {type = "quadratic", params = {{x, y}}} for a quadratic Bezier curve,
             {type = "cubic", params = {{x, y}, {x, y}}}, or {type = "circle", params = {radius, large, right}}: an arc of a circle, the
             larger one or not, to the right of the way along the edge or to the left
stitches     rows {{panel, edge}, {panel, edge}, same_way =}: the end of the first edge meets the start of the second, with
             same_way = true its end. An edge is in one stitch; edges of unequal length are gathered
edge_length  m, of triangles; 0.01. An edge is divided into ceil(length / edge_length) equal parts, two sewn ones like the longer
units        m, of vertices, translations and radii; 1
curvature    of the whole pattern: how control points are given: "relative" (to the edge: along it, and to its left, in lengths of the
             edge; the default), or "absolute"
order        of panels, a list of names; others follow by name
Errors name panel, edge or stitch, what is there, and the remedy. Numbers count from 1.]],
    [[muslin.pattern { panels = { front = { vertices = {{0, 0}, {0.4, 0}, {0.2, 0.5}},
  edges = {{ endpoints = {1, 2} }, { endpoints = {2, 3}, curvature = {0.5, 0.1} }, { endpoints = {3, 1} }} } } }]] },
  { "muslin.pattern.load", "muslin.pattern.load(path [, {edge_length, units}])  -> pattern",
    [[Reads a *_specification.json of GarmentCode (Korosteleva and Sorkine-Hornung 2023) or of the Garment Pattern Generator. The unit is
the file's units_in_meter, unless units (m) is given. Messages have the file's numbers, which count from 0.]],
    [[muslin.pattern.load("shirt_specification.json", { edge_length = 0.015 })]] },
  { "pattern.panels", "pattern.panels  -> list",
    "Its panels: {name, label, mesh, corners, translation, rotation, edges, folds}; edges is a list of {length (m), vertices (of the " ..
      "mesh, along the edge), label, stitch (its number)}, folds one of {points (m), angle (rad), vertices}." },
  { "pattern.stitches", "pattern.stitches  -> list",
    "Rows {a = {panel, edge}, b = {panel, edge}, same_way, number, pairs}; pairs are rows {vertex of a's panel, vertex of b's}, " ..
      "number is that of messages." },
  { "pattern:svg", "pattern:svg()  -> string",
    "The panels flat and side by side, at true size (1 unit is 1 mm), with numbered stitches, as an SVG document. " ..
      "`muslin pattern FILE --svg` prints it.",
    [[print(pattern:svg():sub(1, 4))  --> <svg]] },
  { "pattern.edge_length", "pattern.edge_length", "m, of triangles." },
  { "pattern:place", "pattern:place(body)  -> rows",
    [[Moves panels to where they enclose the limbs of a body (a mesh or an obstacle) in another pose than the one they were placed for:
writes the vertices of their meshes. Panels that face each other in parallel planes and are sewn to each other at two or more edges
enclose something; the largest group of them, the trunk, stays. Another moves within its plane, by about 0.4 m and 60 degrees at most, to
where the body is between its panels and no seam of theirs passes through the body, if that is clearly better than where it is.
Returns a row {panels = names, distance = m, angle = rad} for each group that moved. muslin.dress does this.]],
    [[for _, row in ipairs(pattern:place(body)) do print(row.panels[1], row.distance) end]] },
  { "pattern:sew", "pattern:sew(world, cloths, {stitches, stitch})  -> seams",
    [[Adds a seam for each stitch, or for each of `stitches`, a list of rows of pattern.stitches. cloths: by the names of the panels, as
pattern:add returns them; stitch: options of world:stitch.]],
    [[local garment = pattern:add(world, { name = "shirt", stitches = {} })
local seams = pattern:sew(world, garment.cloths, { stitches = { pattern.stitches[1] }, stitch = { closing_time = 0.5 } })]] },
  { "pattern:add", "pattern:add(world, {name, cloth, stitch, stitches})  -> {cloths, seams}",
    [[Adds a cloth for each panel, named by the panel (with `name`: "name.panel"), and a seam for each stitch (or each of `stitches`, as
pattern:sew does). cloth: options of world:cloth for all panels; stitch: options of world:stitch, such as closing_time. Returns
{cloths = {panel = cloth}, seams = {...}}. The seams close while the world steps; without gravity panels around a body come to it
straight.]],
    [[local garment = pattern:add(world, { name = "shirt", cloth = { material = "cotton" }, stitch = { closing_time = 1.5 } })]] },

  { "muslin.dress", "muslin.dress(world, {pattern, body, name, edge_length, material, thickness, friction, closing_time, " ..
    "elastic, attach, attach_time, over, placing, gravity, rest_share, rest_motion, stop})  -> garment",
    [[Sews a pattern around a body and drapes it, while the world is simulated. First panels that miss their limbs are placed around them
(pattern:place). Without gravity and friction seams close, those of placed panels before the others; then the panels become
one cloth, whose rest shape is the flat pattern, gravity acts, and the garment settles. Sewn vertices become one; where something
would intersect there, they stay two, joined by stitches. `muslin dress PATTERN BODY --out DIR` does this from the command line.
Several garments are sewn one over the other before gravity acts.
pattern       a muslin.pattern, or the path of one
body          an obstacle, a mesh or the path of one, m
name          of the garment's cloth, and of the panels "name.panel"; "garment", and "panel"
edge_length   m, of a pattern by its path; 0.01
material      "jersey", which stretches by 30 % where the garment is tight. It is damped by 20 1/s while seams close, and 4 1/s while
              it drapes
thickness     m, of the cloth, and
friction      its coefficient, as of world:cloth
closing_time  s in which the seams close; 1.5
elastic       rows {panel, edge, shrinkage =, width =}: elastic bands of a width (m, 0.02) along edges, by the panel's name and the
              edge's number from 1; they shorten by a share (0..0.9) once the seams are closed, as a map of shrinkage does
attach        a list of labels of edges, which stay where they are on the body when gravity begins to act: springs pull their vertices there
              (cloth:pull), which the whole weight of the garment would stretch by 1 mm; true: those of GarmentCode, "lower_interface",
              "strapless_top", "left_collar", "right_collar", as far as the pattern has them
attach_time   s until they are released; by default they are not
over          a garment below this one, as muslin.dress returned it: this one is sewn when that one is. Panels that would intersect
              it start farther from the body, in steps of 2 cm up to 0.3 m
placing       false: panels start where the pattern has them; true
gravity       m/s^2, of draping; the world's
rest_share    the garment is at rest when less than this share of its vertices, 0.015, moves by more than
rest_motion   m in a second; 3e-4
stop          whether world:stop() is called then; true
An error after 3 closing_time + 2 s (one closing_time more with placed panels) names the seam that is open by more than 2 mm:
the garment is too small there, or a limb is not between its panels.]],
    [[local garment = muslin.dress(world, { pattern = "shirt_specification.json", body = body, name = "shirt", edge_length = 0.1 })
local vest = muslin.dress(world, { pattern = pattern, body = body, name = "vest", over = garment })]] },
  { "garment:mesh", "garment:mesh([state])  -> mesh",
    [[The mesh of the whole garment, sewn vertices being one: as it is now, or with "sewn" its panels where they start. Both have the same
faces, a group for each panel (mesh:groups), and the flat pattern as texture coordinates, m.]],
    [[local garment = muslin.dress(world, { pattern = pattern, body = body, name = "shirt" })
world:on("done", function() garment:mesh():save "shirt.obj" end)]] },
  { "garment:gap", "garment:gap()", "The widest distance of two vertices that are sewn and are not one, m.",
    [[local garment = muslin.dress(world, { pattern = pattern, body = body, name = "shirt" })
world:on("frame", function(w) w:log("gap", garment:gap()) end)]] },
  { "garment.phase", "garment.phase",
    [["waiting" (for the garment below), "sewing", "sewn" (and waiting for the others), "draping" or "at rest".]] },
  { "garment.moved_out", "garment.moved_out", "m, by how much panels were moved away from the body, to clear the garment below." },
  { "garment.cloth", "garment.cloth  -> cloth or nil", "The garment, after sewing." },
  { "garment.panels", "garment.panels  -> {panel = cloth}", "The cloths of the panels during sewing." },
  { "garment.seams", "garment.seams  -> list", "The seams during sewing; later that of the vertices that are apart." },
  { "garment.apart", "garment.apart", "Number of stitches between sewn vertices that did not become one, as something would intersect." },
  { "garment.placed", "garment.placed  -> list", "Panels that were placed around limbs: rows, as of pattern:place." },
  { "garment.moving", "garment.moving", "The share of vertices that moved by more than rest_motion in the last second; 1 before." },
  { "garment.rest_time", "garment.rest_time  -> number or nil", "When it came to rest, s." },

  -- Seams -------------------------------------------------------------------------------------------------------------
  { "seam.count", "seam.count", "Number of stitches." },
  { "seam.gap", "seam.gap", "The largest distance of a stitch's ends, m." },
  { "seam.mean_gap", "seam.mean_gap", "The mean of those distances, m." },
  { "seam.pull", "seam.pull", "The largest force of a stitch, N." },
  { "seam.width", "seam.width", "The final length of the stitches, m." },
  { "seam.closing", "seam.closing", "Whether some stitches are still being shortened." },
  { "seam.valid", "seam.valid", "False after the seam was removed, or one of its cloths." },
  { "seam.a", "seam.a  -> cloth", "The cloth whose vertices are sewn." },
  { "seam.b", "seam.b  -> cloth", "The cloth that they are sewn to." },

  -- Worlds ------------------------------------------------------------------------------------------------------------
  { "world:cloth",
    "world:cloth {name, mesh, rest, material, thickness, friction, restitution, velocity, self_collision, layer, maps,\n" ..
    "  mass, color, back_color, texture, texture_size, texture_color, surface}  -> cloth",
    [[Adds a cloth.
mesh            start shape; must pass mesh:check. A mesh with an unfavorable numbering is solved in another order internally
rest            the rest shape: a mesh with the same faces, "uv" for the mesh's texture vertices in m, or {uv = mesh} for
                those of another mesh with the same faces; the start shape.
name            unique in the world; "cloth1", ...
material        a preset's name, a muslin.material, or a table of constants; "cotton"
thickness       m, > 0: least distance of mid-surfaces; 1e-3. Neighbors in one cloth: at most 0.6 of their distance at rest.
                It may be larger than an edge, but must be less than the diagonal of the box around `mesh` or `rest`
friction        >= 0; 0.3. A pair has the geometric mean of its sides
restitution     0..1; 0. A pair has the larger of its sides
velocity        m/s of every vertex at the start
self_collision  true
layer           0 to 1000: before the first step, cloth of a higher layer is moved to the outer side of cloth of a lower one, a thickness
                away, where it lies within it or crosses it; 1 is innermost, 0 none; 0. The outer side is that of the normals
                (corners counter-clockwise), and of cloth that lies flat the upper one. Layers that cross are untangled unless
                world:between sets `overlap` for them. Later steps do not depend on it
maps            {density =, thickness =, shrinkage =, stiffness =, bending =, damping =, friction =, strain_limit =}, which vary over
                the cloth, each a number, an array or list with a number for every vertex, a function(x, y, z, i) that is called once for
                each vertex of `mesh`, a table of numbers by the names of the mesh's groups of faces, such as panels of a garment ({front =
                2, others = 1}; where groups meet, the mean over the faces), or a picture ({picture = "map.png", low = 0, high = 1, origin =
                {u, v}, size = {width, height}}):
                density (kg/m^2, > 0) instead of the material's;
                thickness (m, > 0) instead of the cloth's, of an edge or face the mean of its vertices, as of a hem or a quilt; balls,
                capsules and cylinders touch faces, never a vertex alone, and files such as manifest.json have the largest;
                shrinkage, the share (-1..0.9) by which lengths at rest are less than those of `rest`, as of an elastic band
                sewn on stretched; the mass stays;
                stiffness (0.001..1000) and bending (0..1000), factors of the material's resistance to stretching and shearing, and to
                bending, as of an interlining or a quilt; damping (0..1000), a factor of the material's damping and bending_damping
                beside those, as of a quilt that dampens where the lining around it swings; friction (>= 0) instead of the cloth's,
                unless world:between sets that of the pair; strain_limit (0.001..10) instead of the material's, of an edge the mean of
                its ends, as of an elastic band in a stiff cloth. The model "square_network" has only density, thickness,
                friction and strain_limit
                A picture is a PNG (8 or 16 bits) or a JPEG, which lies on the mesh's texture coordinates: black is the value
                `low`, white `high`, gray in proportion, linear between the centers of pixels. Its lower left corner is at `origin`, its
                size is `size` (in the units of the texture coordinates: m on a panel, m from the middle on a grid), beyond which it is
                repeated; by default it covers the box around them once. Colors count by their brightness; where a seam of the
                texture coordinates passes, the vertex has the mean
mass            how the cloth's mass is distributed: "area", of each face a third at every corner; "equal", the same at every
                vertex, so that the rim is heavier, as by seams (BRI 2.1); "area"
In pictures and exported files:
color           of the side toward which normals point, and of both without back_color: {red, green, blue} from 0 to 1 (sRGB),
                "#rrggbb", or "white", "gray", "black", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown"; by
                default one of a palette. A grid in the plane "xz" has this side down
back_color      of the other side
texture         "checker", "stripes" (along the warp), or "weave", whose threads are seen from near; in the texture coordinates of
                the mesh, which are m on a grid, or else in the rest shape's mean plane; "none"
                Or a picture, {picture = "print.png", origin = {u, v}, size = {width, height}}: a PNG or JPEG on both sides
                (on the front, with a back_color), its lower left corner at `origin`, repeated; by default it covers the box around the
                texture coordinates (those of `surface`, if there is one) once.
                Textures are in the window, in pictures, films, reports, and exported files; see muslin doc formats
texture_size    m, width of a square, a stripe or a thread; 0.05, of "weave" 0.001
texture_color   of every second square, stripe or thread; a darker `color`
surface         a mesh that follows the cloth and is shown and written in its place, with its own texture coordinates and groups: finer,
                or with hems, buttons and trims. At the start each of its vertices is bound to the nearest point of a face and keeps
                its distance from there along the interpolated normal. It is not simulated: it does not collide, and an audit of
                exported frames is one of it. No vertex may be farther than a quarter of the diagonal of the mesh's box. A world read
                from a snapshot's file is without]],
    [[world:cloth { name = "scarf", mesh = muslin.mesh.grid { nodes = {40, 40}, center = {0, 1, 0} }, material = "silk" }]] },
  { "world:obstacle",
    "world:obstacle {name, mesh | shape, radius, length, size, normal, at, rotation, thickness, friction, restitution,\n" ..
    "  cache, cache_array, cache_animation, cache_fps, cache_start, cache_lead_in, cache_interpolation, cache_loop,\n" ..
    "  cache_scale, cache_up, motion, mass, velocity, angular_velocity, color, back_color, texture, texture_size, texture_color}\n" ..
    "  -> obstacle",
    [[Adds an obstacle: fixed, until obstacle:move or animate, or a rigid body.
mesh            faceted; or an exact shape:
shape           "plane" (normal), "sphere" (radius), "box" (size = {x, y, z}), "capsule" (radius, length between the cap
                centers, axis y), "cylinder" (radius, length between its flat ends, axis y; not as a rigid body)
at              position, m; {0, 0, 0}
rotation        unit quaternion {w, x, y, z}, {axis = {x, y, z}, angle = rad} or {euler = {x, y, z}, order = "xyz"} (rad), as
                made by muslin.rotation
thickness       m, >= 0; 0. Cloth keeps a distance of this and half its own thickness
friction        >= 0; 0.3
restitution     0..1; 0
cache           path of a PC2, .npy, .npz, .mdd, glTF or .usda file that the vertices of a mesh follow, as with obstacle:animate;
                cache_array, cache_animation, cache_fps, cache_start, cache_lead_in, cache_interpolation, cache_loop, cache_scale
                and cache_up are array, animation, fps, start, lead_in, interpolation, loop, scale and up there
motion          "dynamic": a rigid body, moved by gravity and by contacts with cloth, other bodies and obstacles, with equal and
                opposite impulses by mass and inertia (Bridson et al. 2002, 2.2). Its density is uniform; a mesh must be closed. A
                thickness of 0 becomes a thousandth of its size; two bodies keep the sum of theirs. In all pipelines except
                with fail-safe "inelastic_zones". Responses of the classic family share corrections with a body by its effective
                mass at each contact (muslin doc NAME of a response describes it); in the potential family it is six more unknowns
                of the step's minimum, and its contacts are energies
mass            kg, > 0, of a rigid body
velocity        m/s, of its center of mass at the start
angular_velocity  rad/s, at the start
inertia         kg m^2, of a rigid body about its center of mass along the axes of its frame: three principal moments {x, y, z}, or
                a tensor as three rows; overrides that of uniform density
center_of_mass  m, in its frame, likewise. With both a mesh may be open
color           in pictures and exported files, like back_color, texture, texture_size and texture_color, as of world:cloth; a
                texture needs a mesh with texture coordinates]],
    [[world:obstacle { shape = "sphere", radius = 0.25, at = {0, 0.5, 0}, friction = 0.1 }]] },
  { "world:camera", "world:camera {from, to, fov, follow}, world:camera {path, follow} or world:camera(f)",
    [[The camera of pictures, films, POV-Ray scenes and the preview, where the mouse takes over from it and f returns to it. The
last call applies; world:camera(nil) restores the automatic camera, which frames what is there at the start and where it will
land, and follows only what would leave the picture.
from    position of the eye, m
to      the point in the middle of the picture, m; y is up in it
fov     rad, vertical angle of view; 0.61 (35 degrees)
follow  a cloth or an obstacle: the camera moves as the center of its bounding box does, from its present place on
path    a list of at least two {t =, from =, to =, fov =}, t in s and increasing: the camera passes through them smoothly, and
        stands before the first and after the last
f       function(t) that returns {from =, to =, fov =} for the time t, s. It may change nothing, as a draw hook]],
    [[world:camera { from = {2, 1.5, 2}, to = {0, 0.5, 0}, fov = math.rad(30) }
world:camera { path = { { t = 0, from = {2, 1, 2}, to = {0, 0.5, 0} }, { t = 2, from = {1, 0.5, 1}, to = {0, 0.2, 0} } } }
world:camera(function(t) return { from = {2 * muslin.cos(t), 1, 2 * muslin.sin(t)}, to = {0, 0.5, 0} } end)]] },
  { "world:title", "world:title(text)", "A title at the top left of pictures and films, and in the preview's panel; nil: none.",
    [[world:title("A sheet over a ball")]] },
  { "world:background", "world:background(color) or world:background {top, bottom}",
    "Background of pictures: a color as of world:cloth, or a gradient between two.",
    [[world:background { top = "#20242c", bottom = {0.25, 0.28, 0.33} }]] },
  { "world:light", "world:light {toward, color}",
    "The light that casts shadows in pictures: the direction toward it ({-0.36, 0.8, 0.5}) and its color (white).",
    [[world:light { toward = {1, 1, 0.5}, color = "#fff0d8" }]] },
  { "world:stitch",
    "world:stitch {a, b, match | cloth, stitches, closing_time | speed, stiffness, strength, damping, width}  -> seam",
    [[Sews vertices to vertices or to points of edges by stitches, which shorten to their final length and then keep it.
a             {cloth, vertices}: a list of vertices from 1, or an array
b             {cloth, vertices}, the same cloth or another, as many vertices as a has; or {cloth, edges = {{j, k, share}, ...}}
match         "length": a and b are lines along edges, both in the same direction, with any numbers of vertices: each
              vertex of the line that has more is sewn to the point of the other at the same fraction of its rest length
cloth         or: one cloth, and its
stitches      rows {i, j, k, share}, or a mesh that has them: vertex i to the point at the fraction share from j to k
closing_time  s in which stitches shorten from their initial distance to `width`, at constant speed; 0.5
speed         m/s at which they shorten, instead of one time for all
stiffness     N/m per stitch, beyond its length; four times the `stretch` of the stiffer material
strength      N: the largest force of a stitch, however far its ends are; unlimited by default. Where a body is between
              seams that close, about the load that the cloth itself carries
damping       s, as a multiple of the stiffness, while a stitch is taut; the larger of the materials' damping
width         m, > 0: the final length; the mean of both thicknesses where they are sewn
A stitch exerts no force in compression. Vertices that are sewn together keep 0.6 of their distance through the seam, as neighbors in
one cloth do, instead of the whole thickness; the guarantee includes seams. Forces are equal and
opposite, their energy is in world:energy().elastic. Under implicit_euler, offset and newton seams are solved with the cloth;
integrators that advance one cloth at a time project them in every substep. Not within a step.]],
    [[world:stitch { a = {front, {1, 2, 3}}, b = {back, {1, 2, 3}}, closing_time = 0.3 }]] },
  { "world:remove", "world:remove(object)",
    "Removes a cloth (and its seams), an obstacle, a response or a seam. Its handles and views raise errors from then on." },
  { "world:find", "world:find(name)  -> cloth, obstacle or nil", "The object of that name." },
  { "world:ignore", "world:ignore {a, b}",
    "Excludes two objects (names or objects) from collisions with each other; the same object twice: no self-collision." },
  { "world:between", "world:between({a, b}, {overlap, pinch, friction, restitution, trace})",
    [[Settings of a pair of objects (names or objects); the same twice: of a cloth with itself. The last setting of a pair applies.
overlap      how their overlaps before the first step are handled, "refuse", "untangle" or "allow"; overrides the world's setting
             (muslin.world), which applies to all other pairs. Raises an error after the first step
pinch        of a cloth and an animated mesh whose surfaces leave it no gap, as at a body's armpits: "refuse" (default), the step
             fails with "no safe step"; "release": the vertices that no response can place follow the surfaces on both sides,
             and they, and the edges and faces at them, do not collide with the mesh until it has opened and they are clear.
             world:stats().pinched is their number, and the auditor counts what they intersect as allowed. Soft pins of these
             vertices (cloth:pull) act again afterwards; vertices with hard pins are not released
friction     Coulomb coefficient >= 0, overrides that of the materials, or a function of the contact that returns it, or a
             muslin.coefficient, which describes the arguments of such a function
restitution  0..1, or a function, likewise
trace        false: such a function is called for each contact instead of being traced (true)
For friction and restitution {a} alone is a against anything. A coefficient of a response has priority over the pair's. Not within a
step; not available in pipelines whose response has no friction ("aabb", "aabb_ray").]],
    [[world:between({"lining", "coat"}, { overlap = "allow" })
world:between({"coat", "body"}, { pinch = "release" })
world:between({"sheet", "tray"}, { friction = function(c) -- less along the warp than across it
  local way = c.velocity:normalized()
  return 0.4 - 0.25 * way:dot(c.warps[1]) ^ 2
end })]] },
  { "world:force", "world:force(f [, name])  -> token",
    "f(cloth, t) is called for every cloth in every step and adds to cloth.f, N; or a muslin.node_force, or a " ..
      "muslin.wind. name: as in world:on.",
    [[world:force(function(cloth, t) cloth.f:add {0, 0, 0.01} end)]] },
  { "world:respond", "world:respond(response or its options)  -> response",
    "Adds a response. For each pair the last one that matches applies, or the pipeline's own if none matches." },
  { "world:on", "world:on(event, f [, name])  -> token",
    [[Calls f at an event. world:stats() lists its time under the name, by default the line that defines f.
before_step(world, t)  the step begins; may write positions and velocities
candidate(world, t)    predicted positions at t, before collisions are handled; may write positions
contacts(world, t)     world:contacts() is filled; t is the start of the whole step
after_step(world, t)   the step's result at t, not yet final
A step that is split calls candidate and contacts in each substep, and again in the halves of one that fails.
The effects of all four are undone if the step fails.
frame(world, t)        after each frame, and for frame 0
done(world, t)         the scene was simulated to its end
draw(canvas, world, t) a picture is made; it cannot change the world, and the random state is restored after it
key(name, world)       a key in the preview; true: handled
Cloth, obstacles, world.time and world:audit() belong to the same time t in every hook. Objects cannot be added, removed or
moved within a step, and no hook can step or close the world. While a motion, a path, a rule, 'where' or a function that is
traced runs, the world is locked: functions that would change it raise an error.]],
    [[world:on("after_step", function(world, t) world:log("height", world:find("sheet"):centroid().y) end)]] },
  { "world:script", "world:script(f [, name])  -> token",
    [[f(world) runs as a coroutine beside the simulation from the next step on: it waits with world:wait and world:wait_until.
Waiting functions resume at the beginning of a step, before its hooks, in the order in which they were added, and may do what a
before_step hook may. An error undoes the step and ends the function; if a step fails in which the function had resumed,
the next step raises an error. See timelines for snapshots.]],
    [[world:script(function(w)
  w:wait(1.0)
  w:find("sheet"):unpin { vertices = {1} }
  w:wait_until(function() return w:find("sheet"):centroid().y < 0.2 end)
  w.wind = {2, 0, 0}
end)]] },
  { "world:wait", "world:wait([seconds])  -> t",
    "In a function of world:script: waits for the step that begins `seconds` (0) later, s, at least for the next one; returns its time." },
  { "world:wait_until", "world:wait_until(f)  -> t",
    "In a function of world:script: waits until f(world, t) is true, which is evaluated at the beginning of every step; returns at once " ..
      "if it is true already.",
    [[world:script(function(w) w:wait_until(function(_, t) return t > 1 end) w:log("over", 1) end)]] },
  { "world:off", "world:off(token)", "Removes a hook, a force or a function of world:script." },
  { "world:step", "world:step()", "One step of step_size. If it fails, the state is unchanged and an error states the reason." },
  { "world:advance", "world:advance(seconds)", "Simulates equal steps no longer than step_size. Frame hooks are not called." },
  { "world:start", "world:start()",
    "Validates the state and calls the frame hooks for frame 0; once. The command line calls it." },
  { "world:run_frame", "world:run_frame()", "The steps of one frame, then the frame hooks. The command line calls it." },
  { "world:finish", "world:finish()", "Calls the done hooks; once. The command line calls it." },
  { "world:stop", "world:stop()",
    "The frame that is being made is the last one: `muslin run`, test, compare and sweep then call the done hooks and end, world:run " ..
      "returns, and the preview pauses. world:step and world:advance are not affected." },
  { "world:run", "world:run([seconds])",
    "Calls start, run_frame until `seconds` (the world's duration), and finish: for scripts that simulate their world themselves." },
  { "world:validate", "world:validate()",
    "Checks the state as the next step would: raises an error for values that are not finite and faces that intersect." },
  { "world:audit", "world:audit([{tolerance}])  -> report",
    [[Checks the state with exact predicates, independently of collision detection: {clean, intersections, inside, touches,
pairs_tested, max_depth, allowed, findings = {{kind, objects, faces, depth}, ...}}. inside counts features deeper in an obstacle
than tolerance (1e-4 m). allowed counts overlaps with an exemption (overlap = "allow"), which are no findings.]],
    [[expect(world:audit().intersections):equals(0)]] },
  { "world:contacts", "world:contacts()  -> contacts",
    "The contacts of the present step (in the contacts and after_step hooks) or the last one." },
  { "world:hash", "world:hash()  -> string",
    "16 digits; equal for equal times, positions and velocities, on every machine." },
  { "world:save", "world:save(path)",
    "Writes the world's complete state to a temporary file that is then renamed; not within a step. See " ..
      "checkpoints for its contents." },
  { "world:restore", "world:restore(path [, {by_name}])",
    [[Restores the state of a saved file in this world, which keeps its functions; objects, materials and settings must be those
of the saved one, and an error names the first difference. Random streams and the parameters that the world's functions use get
their saved values. On failure nothing has changed.
by_name  true: the world may differ. Each cloth with a saved name and number of vertices gets its positions, velocities
         and fixed pins, each rigid body its motion, other obstacles their poses at that time; materials,
         settings, functions and parameters are this world's (false). The solver starts without the impulses of the last
         step, so contacts may settle anew]],
    [[world:save("before.muslin") world:advance(1) world:restore("before.muslin")]] },
  { "world:keep", "world:keep([whether])",
    [[In the preview a saved script is run again: with this call its world continues from the state of the previous one, as by
world:restore(path, {by_name = true}), instead of from its start. Key r restarts in any case. true]],
    [[world:keep()  -- materials and rules may be changed while the cloth hangs]] },
  { "world:stats", "world:stats()  -> table",
    "Of the last step: step_ms, dt (s, its length), phase_ms, candidates, contacts, ccd_tests, ccd_hits, ccd_passes, zones, " ..
      "zone_vertices, substeps, allowed (overlap exemptions that remain), pinched (vertices released by world:between), "
      .. "iterations, residual, max_strain, kinetic_energy (J), contact_energy (J; of potential " ..
      "pipelines), unresolved: pairs that collide in the state that a classic pipeline committed, culled: pairs of faces that " ..
      "normal cones ruled out (broad = \"partition_tree_cones\", \"quad_tree_cones\", \"partition_tree_sound\"), and " ..
      "box_tests: pairs of boxes that the broad phase compared one by one (0 with \"box_tree\", which compares many at a time). " ..
      "hooks: a list of {event, name, calls, step_ms, total_ms} for " ..
      "each function of world:on, force and script; step_ms is its time since the last step began." },
  { "world:start_report", "world:start_report()  -> table",
    [[The check before the first step and its corrections: crossings (pairs of faces), inside (vertices and
faces inside obstacles), touches (pairs without a gap), moved (vertices), largest (m, the largest displacement), rounds,
allowed (overlap exemptions by overlap = "allow"; world:stats().allowed counts those that remain), misplaced (vertices of layers that
are still on the wrong side), and pairs: a list of {a, b, crossings, inside, moved, largest}, the part that is due to two objects (of
the same name: to a cloth and itself); crossings and inside as found, moved and largest of vertices displaced because of this pair.
Overlaps are untangled with overlap = "untangle", or between layers: where one surface cuts another in two, the smaller part moves
back, or of layers the part on the wrong side; cloth that keeps crossing itself is flattened there; cloth inside a solid
leaves on the shortest path, or along its own normal where shortest paths diverge. Then the auditor finds nothing, or the world
does not start. Touching pairs are separated in any case, by a micrometer, or a hundredth of their thickness if that is less. Rest shapes,
velocities and pinned vertices are unchanged. A run writes the same to manifest.json (start), --json and the report.]],
    [[local world = muslin.world { overlap = "untangle" }]] },
  { "world:energy", "world:energy()  -> table",
    [[Energy of all cloths and rigid bodies after the last step, J: kinetic (of it rotational, of the rotation of bodies), elastic,
gravitational (0 at the origin), contact, and total, the sum of these four. Seams are elastic. Velocities belong to the middle of a
step (see cloth.v), and so does the gravitational energy, on the straight path of each vertex; elastic energies are the
means of those at the start and the end of the step. In free fall the total is constant. Contact
energy is that of the potential pipelines, and of a muslin.potential; not within a step.]],
    [[local before = world:energy().total world:advance(1) expect(world:energy().total):at_most(before)]] },
  { "world:log", "world:log(name, value)",
    "Records a number with the frame and time, for the run's log.csv and manifest. A step that fails removes " ..
      "its own records." },
  { "world:logged", "world:logged(name)  -> values, times", "The values recorded under a name, and their times, as two arrays." },
  { "world:random", "world:random([low, high])", "A random number in [low, high) of the world's own stream; 0 and 1." },
  { "world:close", "world:close()",
    "Frees the world now; `local world <close> = ...` does it at the end of the block. Later use raises an error." },
  { "world.time", "world.time", "s since the start; in a hook, the hook's own time." },
  { "world.overlap", "world.overlap", "How overlaps before the first step are handled, as given." },
  { "world.frame", "world.frame", "The present frame, or the last complete one; 0 is the initial state." },
  { "world.dt", "world.dt", "s, the longest step as given." },
  { "world.dt_min", "world.dt_min", "s, the smallest adaptive time step; 0: the time step is not adaptive." },
  { "world.dt_max", "world.dt_max", "s, the largest adaptive time step." },
  { "world.step_size", "world.step_size", "s, of the equal steps that the present frame is split into." },
  { "world.step_index", "world.step_index", "Number of steps committed." },
  { "world.steps_per_frame", "world.steps_per_frame", "Steps per frame." },
  { "world.fps", "world.fps", "Frames per second." },
  { "world.duration", "world.duration", "s that a host simulates." },
  { "world.gravity", "world.gravity  -> vec3", "m/s^2; may be set." },
  { "world.wind", "world.wind  -> vec3", "m/s; may be set." },
  { "world.tolerance", "world.tolerance  -> number | table | rule",
    [[m, {eye, pixel, least} or a function of position: as given to muslin.world; may be set, for example by a hook as a function of time; a
new function of position only between steps. For a function the value is the traced rule, with :set, :get and :explain.]],
    [[local world = muslin.world { pipeline = "jung" }
world:on("before_step", function(w, t) w.tolerance = { eye = { 0, 1, 3 - t }, pixel = 1e-3, least = 2e-4 } end)]] },
  { "world.air_density", "world.air_density", "kg/m^3." },
  { "world.seed", "world.seed", "Seed of the random numbers." },
  { "world.threads", "world.threads", "As given; 0: one per processor." },
  { "world.pipeline", "world.pipeline  -> table", "The names of the stages by kind." },
  { "world.cloths", "world.cloths  -> list", "All cloths, in order of creation." },
  { "world.obstacles", "world.obstacles  -> list", "All obstacles, in order of creation." },
  { "world.seams", "world.seams  -> list", "All seams, in order of creation." },
  { "world.sleep", "world.sleep", "As given: whether the world may fall asleep." },
  { "world.asleep", "world.asleep",
    [[Whether the world slept through the last step. A world made with sleep = true falls asleep when no vertex of cloth and no point of
a rigid body has moved by more than 0.1 mm within 0.5 s, and nothing from outside moves it. All velocities become 0. Its
steps then call hooks, move obstacles and pins, and count, but solve nothing (stats().substeps is 0), until something wakes it:
a position, velocity, pin, setting or object that changes; external forces that differ from those of the step before; pins or
seams that move; an obstacle that moves within the box around cloth and bodies, or has pins; a plane that moves; world:wake().
Motion slower than 0.2 mm/s for half a second is stopped for good: a body that turns back on a slope of 1e-3, the start of a
fall from an unstable equilibrium. Where that matters, choose sleep = false.
A world with a rule of response, with hooks on predicted positions or contacts, with a field of wind (muslin.wind), with a function as
coefficient, spring law or tolerance, or with a path that pulls (cloth:pull) never sleeps: these may change at any time.]],
    [[local world = muslin.world { sleep = true }
world:on("frame", function(w) if w.asleep then print("at rest after", w.time, "s") end end)]] },
  { "world:wake", "world:wake()", "Wakes the world if it is asleep: for a change that it does not see.",
    [[local world = muslin.world { sleep = true }
world:wake()]] },
  { "world.closed", "world.closed", "Whether the world was closed." },

  -- Cloth -------------------------------------------------------------------------------------------------------------
  { "cloth:pin", "cloth:pin {vertices | corners | edge | where [, allow_none] [, to | path]}  -> count",
    [[Pins vertices: at their positions, to an obstacle, or to a path.
vertices    a list of indices from 1
edge        of a grid: "top", "bottom", "left" or "right", or a list of them. Left is the first column of nodes, at the least coordinate
            along the first axis of the grid's plane, right the last; bottom is the first row, at the least coordinate along the second
            axis, top the last. In plane "xy" top is up, in "xz" it is where z is largest, in "yz" left is down
corners     of a grid: true for all four, "top_left", "top_right", "bottom_left" or "bottom_right", or a list of them
where       function(x, y, z, i): true for the vertices to pin; none at all is an error
allow_none  true: `where` may select no vertex
to          an obstacle: they move with it. Of an animated mesh, each with the point of its faces that was nearest to it, at the same
            distance from there along the normal and within the face; so do pins to a mesh that is animated later. Where a body bends,
            faces beside a pinned vertex may turn into its place: fasten clothes with cloth:pull
path        function(t, i): the position {x, y, z} at time t]],
    [[local world = muslin.world()
local curtain = world:cloth { mesh = muslin.mesh.strip { nodes = {20, 20}, size = {1, 1} } }
curtain:pin { edge = "top" }]] },
  { "cloth:pull", "cloth:pull {vertices | corners | edge | where, stiffness [, damping, allow_none] [, to | path]}  -> count",
    [[Soft pins: pulls vertices toward the positions of cloth:pin. The vertices stay free, carry loads with the spring's stretch and may
be stopped by contacts. cloth:pin replaces a pull, cloth:unpin removes it. In every pipeline; the derivatives enter implicit steps,
which any stiffness leaves stable, while explicit integrators use at most a quarter of m/dt^2 and m/dt for a vertex of mass m.
With the integrator "position_based" it is the pulling constraint (Kusupati & Singh 2019, 2.1), projected together with those of stretch
and bend: a single vertex moves in a step by the fraction s/(1 + s) of the distance, s = stiffness dt^2/m.
stiffness  N/m, > 0: of a spring of zero rest length from the vertex to its target
damping    N s/m, >= 0: of the velocity relative to the target; 0. Not with "position_based"
to         an obstacle, as of cloth:pin. A rigid body (motion = "dynamic") is pulled back with the same force, at the point that the
           vertex had in its frame: cloth carries it, and moves with it. Under the presets robust, lively, offset and newton
Waistbands and straps: skirt:pull { where = function(_, y) return y > 1.09 end, to = body, stiffness = 30, damping = 0.05 } follows a body
that an animation deforms.]],
    [[local world = muslin.world()
local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {8, 8}, center = {0, 1, 0} } }
sheet:pull { vertices = {20}, stiffness = 0.5, damping = 0.01, path = function(t) return {0, 1 + 0.01 * muslin.sin(9 * t), 0} end }]] },
  { "cloth:pulled", "cloth:pulled([i])  -> number or list",
    "The stiffness of the pulling constraint of vertex i, N/m, 0: none; or the list of all vertices that have one." },
  { "cloth:crease", "cloth:crease({vertex, vertex, ...}, angle)",
    [[Sets the angle at rest (rad) of the edges along a path of vertices: fold lines and pleats. Positive: the faces turn toward the side
of their normals; within +-pi, of the model "springs" +-2.214. Of any material with bending > 0, "springs" or a membrane with the bending
model "hinge". Not within a step. The cloth folds in the steps that follow; with a yield_curvature it may crease elsewhere.]],
    [[local world = muslin.world { gravity = {0, 0, 0} }
local sheet = world:cloth { mesh = muslin.mesh.grid { nodes = {9, 3}, size = {0.08, 0.02} } }
sheet:crease({5, 14, 23}, math.pi / 3)  -- the middle column
print(sheet:angle(5, 14))]] },
  { "cloth:angle", "cloth:angle(a, b)  -> angle, rest",
    "The angle (rad) across the edge between two vertices, now and at rest, as in cloth:crease. An error where nothing bends.",
    [[local now, rest = sheet:angle(5, 14)  -- rad]] },
  { "cloth:unpin", "cloth:unpin([{vertices | corners | edge | where [, allow_none]}])",
    "Removes pins and pulling constraints of vertices, selected as for cloth:pin; by default of all." },
  { "cloth:pinned", "cloth:pinned([i])  -> boolean or list", "Whether vertex i is pinned, or the list of all pinned vertices." },
  { "cloth:faces", "cloth:faces()  -> list", "Rows of three indices from 1." },
  { "cloth:edges", "cloth:edges()  -> list", "Rows of two indices from 1." },
  { "cloth:rest_lengths", "cloth:rest_lengths()  -> array", "Rest length of each edge, m." },
  { "cloth:unloaded_lengths", "cloth:unloaded_lengths()  -> array",
    "Rest length of each edge, m, plastic stretch included (yield_strain of the material): of membranes the mean of its faces'.",
    [[
local made, now = sheet:rest_lengths(), sheet:unloaded_lengths()
print(("edge 1 stays %.1f %% longer"):format(100 * (now[1] / made[1] - 1)))]] },
  { "cloth:strain", "cloth:strain()  -> {max, mean, median, max_edge}",
    "Strain of the edges: length/rest - 1, or 0 where shorter." },
  { "cloth:bounds", "cloth:bounds()  -> low, high", "Corners of the box around the cloth." },
  { "cloth:centroid", "cloth:centroid()  -> vec3", "Mass-weighted mean of the positions, m." },
  { "cloth:surface", "cloth:surface()  -> mesh or nil",
    "A copy of the mesh that follows the cloth (`surface` of world:cloth) where it is now.",
    [[local fine = sheet:mesh():subdivide(2)
local scarf = world:cloth { name = "fine scarf", mesh = sheet:mesh(), surface = fine }
scarf:surface():save "scarf.obj"]] },
  { "cloth:mesh", "cloth:mesh()  -> mesh", "A mesh of the present positions, with the groups of the mesh it was made of.",
    [[sheet:mesh():save("draped.obj")]] },
  { "cloth.x", "cloth.x  -> array",
    [[A view of the positions, m. Writable between steps and in before_step, candidate and after_step. A number that is not finite,
here or in cloth.v and cloth.f, is an error when the hook that wrote it ends, or at the next step: the error names the vertex, the
hook, and the line that wrote it; if several lines wrote whole arrays, all of them.]] },
  { "cloth.v", "cloth.v  -> array", "A view of the velocities, m/s. Writable as cloth.x is. They are staggered: the velocities after a " ..
      "step moved the positions over it (x1 = x0 + h v) and belong to its middle: a free fall is g t^2/2 at every step." },
  { "cloth.f", "cloth.f  -> array", "A view of the external forces, N. Writable in world:force, for that step." },
  { "cloth.m", "cloth.m  -> array",
    [[A view of the masses, kg. Writable between steps: 1e-30 to 1e30; other numbers are an error and change nothing. A
pinned vertex has its mass for when it is free. The material's density is unchanged.]],
    [[cloth.m[5] = cloth.m[5] + 0.01 -- a button of 10 g]] },
  { "cloth.normal", "cloth.normal  -> array", "A view of the unit vertex normals of the present positions. " ..
    "Faces run counterclockwise around their normals: of " ..
    "solids outward; of flat sheets along -y in plane \"xz\", +z in \"xy\", +x in \"yz\"." },
  { "cloth.inverse_mass", "cloth.inverse_mass  -> array", "A view of 1/m, 1/kg; 0 where pinned." },
  { "cloth.name", "cloth.name", "Its name." },
  { "cloth.world", "cloth.world", "Its world." },
  { "cloth.alive", "cloth.alive", "Whether it is still in its world." },
  { "cloth.vertex_count", "cloth.vertex_count", "Number of vertices." },
  { "cloth.face_count", "cloth.face_count", "Number of faces." },
  { "cloth.edge_count", "cloth.edge_count", "Number of edges." },
  { "cloth.material", "cloth.material  -> material", "Its material." },
  { "cloth.thickness", "cloth.thickness", "m; the largest of a map of thickness." },
  { "cloth.friction", "cloth.friction", "Coulomb coefficient." },
  { "cloth.restitution", "cloth.restitution", "0..1." },
  { "cloth.layer", "cloth.layer", "Its layer; 0: none." },
  { "cloth.color", "cloth.color  -> {r, g, b}",
    "Color in pictures, sRGB; nil: one of the palette. Writable, with any color of world:cloth.",
    [[world:on("frame", function() sheet.color = sheet:strain().max > 0.05 and "red" or "white" end)]] },
  { "cloth.back_color", "cloth.back_color  -> {r, g, b}", "Color of the other side; nil: the same. Writable." },

  { "cloth:spring_law", "cloth:spring_law(f)  -> cloth",
    [[Sets the tension of springs by a function, or a muslin.spring_law, in place of the material's constants: f for the structural ones
(along the yarns of a grid, the edges of another mesh), or a table {structural =, shear =, bend =}; false: the constants again. For the
models "springs", "mass_spring" (which the stage `internal` may set) and "choi_ko"; a cloth has springs of a kind if the material's
stretch, shear or bend is > 0. Contacts and the strain limit use the material. Not within a step.]],
    [[sheet:spring_law {
  structural = function(s) return 300 * s.rest * s.strain * (1 + 50 * s.strain ^ 2) end, -- stiffens with strain
  shear = function(s) return 40 * (s.length - s.rest) + 0.2 * s.rate end,                -- with damping
}]] },

  -- Obstacles ---------------------------------------------------------------------------------------------------------
  { "obstacle:move", "obstacle:move(f)  -> obstacle",
    [[f(t) returns the position {x, y, z} at time t and, for a rotation, one as of world:obstacle. At the present time it must
return the present position. nil: the obstacle is fixed from now on. muslin.motion makes a motion that runs without Lua.]],
    [[ball:move(function(t) return {0, 0.5 + 0.1 * math.sin(t), 0} end)]] },
  { "obstacle:animate",
    "obstacle:animate {cache | frames, array, animation, fps, start, lead_in, interpolation, loop, scale, up}  -> obstacle",
    [[Moves each vertex of a mesh obstacle through frames, in the obstacle's own frame (at, rotation, obstacle:move). Cloth
gives way; detection uses the straight motion of every vertex within a step, so steps should be no longer than frames. The
mesh takes the positions of the present time at once.
cache           path of a PC2 file, an .npy of NumPy (an array of the shape (frames, vertices, 3), float32 or float64), an .npz
                with such an array, or an .mdd, with the vertex count of the mesh; or a glTF file (.glb, .gltf) of which the mesh
                was loaded, whose animation moves it by nodes, morph targets and linear blend skinning; or a .usda, by the time
                samples of points and of transforms, linear in between
array           name of the array in an .npz; the only one of that shape
animation       name of the animation in a glTF file, the only one; or name or path of a mesh in a .usda, all of them joined
frames          or a list of meshes or arrays of positions
fps             frames per second; the world's (a PC2 or .npy file does not contain it; that of an .mdd is not used). A glTF
                animation or a .usda is sampled about so often, so that its last key is a frame
start           time of the world, s, of the first frame; now, or at the end of a lead-in that begins now. Before it the mesh
                is fixed; it may be in the past
lead_in         s before start in which the vertices move from those of the mesh, where they are before, to the first frame, on
                straight lines, and begin and end without velocity; 0: the first frame is shown from the beginning
interpolation   between frames: "smooth" (default): Catmull-Rom splines, whose velocity is continuous, and zero where the motion
                begins and ends; "linear": straight lines, and velocities that jump at every frame
loop            after the last frame the first again, one frame later, and so on; false: the last frame stays
scale, up       of a cache, as in muslin.mesh.load: 1, "y"]],
    [[body:animate { cache = "walk.pc2", fps = 30, lead_in = 0.5, loop = true }
local dancer = world:obstacle { name = "dancer", shape = "mesh", mesh = muslin.mesh.load("dancer.glb"), at = {0, 0, 4} }
dancer:animate { cache = "dancer.glb", animation = "bend", fps = 60 }]] },
  { "obstacle:mesh", "obstacle:mesh()  -> mesh",
    "Its present surface in world coordinates; exact shapes as fine inscribed meshes, a plane as a quad." },
  { "obstacle.name", "obstacle.name", "Its name." },
  { "obstacle.world", "obstacle.world", "Its world." },
  { "obstacle.alive", "obstacle.alive", "Whether it is still in its world." },
  { "obstacle.shape", "obstacle.shape", [["mesh", "plane", "sphere", "box", "capsule" or "cylinder".]] },
  { "obstacle.position", "obstacle.position  -> vec3", "m." },
  { "obstacle.rotation", "obstacle.rotation  -> {w, x, y, z}", "Unit quaternion." },
  { "obstacle.radius", "obstacle.radius", "m, of a sphere, capsule or cylinder; else nil." },
  { "obstacle.length", "obstacle.length", "m, of a capsule or cylinder; else nil." },
  { "obstacle.size", "obstacle.size  -> vec3", "m, of a box; else nil." },
  { "obstacle.normal", "obstacle.normal  -> vec3", "Unit, of a plane as it lies now; else nil." },
  { "obstacle:apply_impulse", "obstacle:apply_impulse(impulse [, at])  -> obstacle",
    [[Changes the velocities of a rigid body at once by an impulse, N s, at a position in the world, m; by default at its center of
mass. A force f over a step is the impulse dt * f in a hook of world:on("before_step"). A step that fails undoes it.]],
    [[local ball = world:obstacle { shape = "sphere", radius = 0.1, at = {3, 1, 0}, motion = "dynamic", mass = 0.2 }
ball:apply_impulse({0, 0.1, 0})]] },
  { "obstacle.dynamic", "obstacle.dynamic", "Whether it is a rigid body." },
  { "obstacle.mass", "obstacle.mass", "kg, of a rigid body; else nil." },
  { "obstacle.center", "obstacle.center  -> vec3", "m, the center of mass of a rigid body; else nil." },
  { "obstacle.velocity", "obstacle.velocity  -> vec3",
    "m/s, of a rigid body's center of mass, staggered as cloth.v is; else nil. Writable." },
  { "obstacle.angular_velocity", "obstacle.angular_velocity  -> vec3",
    "rad/s, of a rigid body, along the world's axes; else nil. Writable." },
  { "obstacle.angular_momentum", "obstacle.angular_momentum  -> vec3",
    "kg m^2/s, of a rigid body about its center of mass; else nil." },
  { "obstacle.thickness", "obstacle.thickness", "m." },
  { "obstacle.friction", "obstacle.friction", "Coulomb coefficient." },
  { "obstacle.restitution", "obstacle.restitution", "0..1." },
  { "obstacle.color", "obstacle.color  -> {r, g, b}",
    "Color in pictures, sRGB; nil: one of the palette. Writable, with any color of world:cloth." },

  -- Responses and contacts --------------------------------------------------------------------------------------------
  { "response.name", "response.name", "As given." },
  { "response.rule", "response.rule", "A name or a function." },
  { "response.failsafe", "response.failsafe", "As given." },
  { "response.friction", "response.friction", "As given; nil: that of the pair." },
  { "response.restitution", "response.restitution", "As given; nil: that of the pair." },
  { "contacts:array", "contacts:array(field)  -> array",
    "A column of the contacts (contacts.normal and so on) as a new array, which stays valid after the step.",
    [[world:advance(0.3)  -- until something touches
local deepest = world:contacts():array("gap"):min()]] },
  { "contacts.normal", "contacts.normal  -> array",
    [[A column: a read-only view with a row for each contact. It raises an error once the state has changed; #contacts is
the count, contacts[i] one contact, and the fields are those of contact.normal and the others.]],
    [[local c = world:contacts() local load = c.impulse:dot(c.normal):sum()]] },
  { "contacts.velocity", "contacts.velocity  -> array", "m/s, of side 1 relative to side 2." },
  { "contacts.point1", "contacts.point1  -> array", "m, the nearest points on side 1." },
  { "contacts.point2", "contacts.point2  -> array", "m, the nearest points on side 2." },
  { "contacts.impulse", "contacts.impulse  -> array", "N s, on side 1." },
  { "contacts.gap", "contacts.gap  -> array", "m, distance less thickness." },
  { "contacts.distance", "contacts.distance  -> array", "m." },
  { "contacts.depth", "contacts.depth  -> array", "m, max(0, -gap)." },
  { "contacts.mass", "contacts.mass  -> array", "kg." },
  { "contacts.friction", "contacts.friction  -> array", "Coulomb coefficient." },
  { "contacts.restitution", "contacts.restitution  -> array", "0..1." },
  { "contacts.toi", "contacts.toi  -> array", "s within the step; 0 for proximity at its start." },
  { "contacts.kind", "contacts.kind  -> array", "1: a vertex and a face; 2: two edges; 3: a vertex or more and an exact shape." },
  { "contacts.a", "contacts.a  -> array",
    "Of side 1 the vertex with the largest weight, from 1: an index into its cloth's arrays; 0 where the side has none.",
    [[local c, load = world:contacts(), muslin.array(#sheet.x, 1) load:scatter(c.a, c.depth, "add")]] },
  { "contacts.b", "contacts.b  -> array", "The same of side 2; 0 for an exact shape." },
  { "contacts.object_a", "contacts.object_a  -> array",
    "The object of side 1: k for world.cloths[k], -k for world.obstacles[k]." },
  { "contacts.object_b", "contacts.object_b  -> array", "The same of side 2." },
  { "contact.normal", "contact.normal  -> vec3",
    "Unit, from side 2 to side 1. Side 1 is cloth, side 2 cloth or obstacle; or both are obstacles, one of them a rigid body." },
  { "contact.velocity", "contact.velocity  -> vec3", "m/s, of side 1 relative to side 2, at the nearest points." },
  { "contact.gap", "contact.gap", "m, distance less the pair's thickness." },
  { "contact.thickness", "contact.thickness", "m, of the pair: the distance at which its gap is 0." },
  { "contact.start_gap", "contact.start_gap", "m, the gap at the start of the step; of a hit, `gap` is that at the time of impact." },
  { "contact.distance", "contact.distance", "m, between the nearest points." },
  { "contact.depth", "contact.depth", "m, max(0, -gap)." },
  { "contact.mass", "contact.mass",
    "kg, 1/sum(w^2/m) over both sides: an impulse J changes the relative velocity by J/mass." },
  { "contact.friction", "contact.friction", "Coulomb coefficient of the pair, or of the response." },
  { "contact.restitution", "contact.restitution", "0..1, of the pair, or of the response." },
  { "contact.dt", "contact.dt", "s, of the step." },
  { "contact.toi", "contact.toi", "s within the step; 0 for proximity at its start." },
  { "contact.time", "contact.time", "s since the start." },
  { "contact.kind", "contact.kind", [["vertex_face", "edge_edge" or "vertex_plane".]] },
  { "contact.points", "contact.points  -> {vec3, vec3}", "The nearest points on both sides, m." },
  { "contact.vertices", "contact.vertices  -> {list, list}", "Indices of the vertices of both sides, from 1." },
  { "contact.weights", "contact.weights  -> {list, list}", "Barycentric weights of these vertices; each side sums to 1." },
  { "contact.objects", "contact.objects  -> {object, object}",
    "The cloth or obstacle of both sides; nil for one that was removed." },
  { "contact.impulse", "contact.impulse  -> vec3", "N s, total impulse of the step on side 1." },
  { "contact.load", "contact.load", "N, in functions of friction and restitution only: see muslin.coefficient." },
  { "contact.warps", "contact.warps  -> {vec3, vec3}", "Unit, one per side, likewise." },

  -- Canvas --------------------------------------------------------------------------------------------------------------
  { "canvas:line", "canvas:line(from, to [, {color, width}])",
    "A line in world space; color {r, g, b[, a]} 0..1 (dark gray), width in pixels (1.5).",
    [[world:on("draw", function(canvas, world) canvas:line({0, 0, 0}, {0, 1, 0}, { color = {1, 0, 0} }) end)]] },
  { "canvas:point", "canvas:point(at [, {color, size}])", "A point in world space, size in pixels (6)." },
  { "canvas:text", "canvas:text(at, text [, {color, size, screen}])",
    "Text at a position; with screen = true x and y are pixels from the top left." },

  -- Arrays --------------------------------------------------------------------------------------------------------------
  { "array:get", "array:get(i)  -> numbers",
    "Row i as one or three numbers; array[i] gives a number or a vec3, #array the count." },
  { "array:set", "array:set(i, x, y, z) or array:set(i, value)", "Writes row i, as array[i] = {x, y, z} does." },
  { "array:slice", "array:slice(i [, j])  -> array", "A view of rows i..j." },
  { "array:copy", "array:copy()  -> array", "A new array with the same numbers." },
  { "array:totable", "array:totable()  -> table", "Numbers or rows {x, y, z}." },
  { "array:gather", "array:gather(indices)  -> array", "The rows of a list, in its order." },
  { "array:scatter", [[array:scatter(indices, values [, "add"])  -> array]],
    "Writes (or adds) rows at the indices, in order." },
  { "array:where", "array:where(f)  -> list", "The indices for which f(x, y, z, i), or f(value, i), is true." },
  { "array:fill", "array:fill(b)  -> array",
    "In place: every row becomes b. In the methods below b is a number, a vector or an array of as many rows." },
  { "array:add", "array:add(b)  -> array", "In place: a + b." },
  { "array:sub", "array:sub(b)  -> array", "In place: a - b." },
  { "array:mul", "array:mul(b)  -> array", "In place: a b, by component." },
  { "array:div", "array:div(b)  -> array", "In place: a / b, by component." },
  { "array:scale", "array:scale(s)  -> array", "In place: s a." },
  { "array:axpy", "array:axpy(s, b)  -> array", "In place: a + s b.", [[cloth.x:axpy(dt, cloth.v)]] },
  { "array:lerp", "array:lerp(b, t)  -> array", "In place: (1 - t) a + t b." },
  { "array:clamp", "array:clamp(low, high)  -> array", "In place, by component; nil: no bound." },
  { "array:cross", "array:cross(b)  -> array", "In place: a x b." },
  { "array:normalize", "array:normalize()  -> array", "In place: unit vectors; zero stays zero." },
  { "array:transform", "array:transform(t)  -> array", "In place, as mesh:transform." },
  { "array:sum", "array:sum()", "Sum of the rows: a number or a vec3." },
  { "array:mean", "array:mean()", "Mean of the rows." },
  { "array:norm", "array:norm()", "Root of the sum of squares of all numbers." },
  { "array:min", "array:min()", "Least, by component; NaN if there is one." },
  { "array:max", "array:max()", "Greatest, by component; NaN if there is one." },
  { "array:argmax", "array:argmax()  -> i, value", "The row of the greatest number or the longest vector." },
  { "array:argmin", "array:argmin()  -> i, value", "The row of the least number or the shortest vector." },
  { "array:dot", "array:dot(b)  -> array", "A new array of a . b." },
  { "array:lengths", "array:lengths()  -> array", "A new array of the vectors' lengths." },

  -- vec3 ----------------------------------------------------------------------------------------------------------------
  { "vec3:dot", "v:dot(w)", "Inner product." },
  { "vec3:cross", "v:cross(w)  -> vec3", "Vector product." },
  { "vec3:length", "v:length()", "|v|." },
  { "vec3:length2", "v:length2()", "|v|^2." },
  { "vec3:distance", "v:distance(w)", "|v - w|." },
  { "vec3:normalized", "v:normalized()  -> vec3", "v / |v|; zero for the zero vector." },
  { "vec3:lerp", "v:lerp(w, t)  -> vec3", "(1 - t) v + t w." },
  { "vec3:unpack", "v:unpack()  -> x, y, z", "Three numbers." },
  { "vec3:totable", "v:totable()  -> {x, y, z}", "A table." },
}

local chapters, examples = require "muslin.reference.chapters", require "muslin.reference.examples"

-- Search words of a name besides those of its text.
local words = {}
for word, names in pairs(require "muslin.reference.words") do
  for _, name in ipairs(names) do words[name] = (words[name] and words[name] .. " " or "") .. word end
end

local reference, unused = {}, {}
for name in pairs(examples) do unused[name] = true end
for _, entry in ipairs(entries) do
  local name = entry[1]
  if entry[4] and examples[name] then error("reference: '" .. name .. "' has two examples") end
  unused[name] = nil
  reference[#reference + 1] = { name = name, kind = "lua", signature = entry[2], doc = entry[3], example = entry[4] or examples[name],
    chapter = chapters.of(name), words = words[name] }
end
local left = next(unused)
if left then error("reference: scripts/reference/examples.lua has '" .. left .. "', which is no entry") end

for _, topic in ipairs(require "muslin.topics") do
  reference[#reference + 1] = { name = topic[1], kind = "topic", doc = topic[2] .. "\n\n" .. topic[3], words = words[topic[1]] }
end

local presets = {}
for name in pairs(require "muslin.pipelines") do presets[#presets + 1] = name end
table.sort(presets)
for _, name in ipairs(presets) do
  local preset = require("muslin.pipelines")[name]
  local lines = { preset.doc }
  for _, kind in ipairs { "integrator", "broad", "narrow", "response", "failsafe", "strain", "internal", "collision_step" } do
    lines[#lines + 1] = preset[kind] and ("%-14s %s"):format(kind, preset[kind])
  end
  reference[#reference + 1] = { name = name, kind = "preset", doc = table.concat(lines, "\n") }
end

return reference
