---@meta muslin

-- Annotations (LuaCATS) for editors; never run. What each name does in full: `muslin doc NAME`.
-- Units are SI, y is up, indices count from 1. A test compares the names with those that are registered, both ways.

---Places and vectors on the way in: a vec3, {x, y, z} or {x =, y =, z =}.
---@alias muslin.Vector muslin.Vec3 | number[] | { x: number, y: number, z: number }
---What array operations take: a number, a vector, or an array of as many rows.
---@alias muslin.Operand number | muslin.Vector | muslin.Array
---@alias muslin.Indices integer[] | muslin.Array
---Unit quaternion {w, x, y, z}.
---@alias muslin.Quaternion number[]
---@alias muslin.Plane "xy" | "xz" | "yz"
---A placement: parts, or 9 or 12 numbers (rows of a matrix).
---@alias muslin.Transform { position: muslin.Vector?, rotation: muslin.Quaternion?, scale: (number | muslin.Vector)? } | number[]

---@class muslin
local muslin = {}

---The version.
muslin.version = ""

-- ---- vec3 ------------------------------------------------------------------------------------------------------------

---A vector of three numbers; a value, its components cannot be set.
---@class muslin.Vec3
---@field x number
---@field y number
---@field z number
---@field [integer] number
---@operator add(muslin.Vector): muslin.Vec3
---@operator sub(muslin.Vector): muslin.Vec3
---@operator mul(number): muslin.Vec3
---@operator div(number): muslin.Vec3
---@operator unm: muslin.Vec3
---@operator len: integer
local Vec3 = {}

---@overload fun(): muslin.Vec3
---@overload fun(v: muslin.Vector): muslin.Vec3
---@param x number
---@param y number
---@param z number
---@return muslin.Vec3
function muslin.vec3(x, y, z) end

---@param w muslin.Vector
---@return number
function Vec3:dot(w) end

---@param w muslin.Vector
---@return muslin.Vec3
function Vec3:cross(w) end

---@return number
function Vec3:length() end

---The square of the length.
---@return number
function Vec3:length2() end

---@param w muslin.Vector
---@return number
function Vec3:distance(w) end

---A unit vector; zero for the zero vector.
---@return muslin.Vec3
function Vec3:normalized() end

---(1 - t) v + t w.
---@param w muslin.Vector
---@param t number
---@return muslin.Vec3
function Vec3:lerp(w, t) end

---@return number x, number y, number z
function Vec3:unpack() end

---@return number[]
function Vec3:totable() end

-- ---- array -----------------------------------------------------------------------------------------------------------

---Numbers or vectors by rows: a view of a world's memory, or an array of its own. a[i] is a number or a vec3.
---@class muslin.Array
---@field [integer] muslin.Vec3 | number | number[]
---@operator add(muslin.Operand): muslin.Array
---@operator sub(muslin.Operand): muslin.Array
---@operator mul(muslin.Operand): muslin.Array
---@operator div(muslin.Operand): muslin.Array
---@operator unm: muslin.Array
---@operator len: integer
local Array = {}

---Zeros (components 1) or zero vectors (components 3, when left out); or a copy of rows.
---@overload fun(rows: number[] | muslin.Vector[] | muslin.Array, components?: 1 | 3): muslin.Array
---@param n integer
---@param components? 1 | 3
---@return muslin.Array
function muslin.array(n, components) end

---@param i integer
---@return number x, number? y, number? z
function Array:get(i) end

---@param i integer
---@param x number | muslin.Vector
---@param y? number
---@param z? number
function Array:set(i, x, y, z) end

---A view of rows i..j.
---@param i integer
---@param j? integer
---@return muslin.Array
function Array:slice(i, j) end

---@return muslin.Array
function Array:copy() end

---@return number[] | number[][]
function Array:totable() end

---@param indices muslin.Indices
---@return muslin.Array
function Array:gather(indices) end

---In place: rows at the indices, in order; "add" adds.
---@param indices muslin.Indices
---@param values muslin.Operand
---@param mode? "set" | "add"
---@return muslin.Array self
function Array:scatter(indices, values, mode) end

---The indices for which the function is true; for arrays of numbers it is f(value, i).
---@param f fun(x: number, y: number, z: number, i: integer): any
---@return integer[]
function Array:where(f) end

---@param b muslin.Operand
---@return muslin.Array self
function Array:fill(b) end

---@param b muslin.Operand
---@return muslin.Array self
function Array:add(b) end

---@param b muslin.Operand
---@return muslin.Array self
function Array:sub(b) end

---By component.
---@param b muslin.Operand
---@return muslin.Array self
function Array:mul(b) end

---By component.
---@param b muslin.Operand
---@return muslin.Array self
function Array:div(b) end

---@param s muslin.Operand
---@return muslin.Array self
function Array:scale(s) end

---In place: a + s b.
---@param s number | muslin.Array
---@param b muslin.Operand
---@return muslin.Array self
function Array:axpy(s, b) end

---In place: (1 - t) a + t b.
---@param b muslin.Operand
---@param t number | muslin.Array
---@return muslin.Array self
function Array:lerp(b, t) end

---In place, by component; nil is no bound.
---@param low muslin.Operand?
---@param high muslin.Operand?
---@return muslin.Array self
function Array:clamp(low, high) end

---@param b muslin.Operand
---@return muslin.Array self
function Array:cross(b) end

---In place; zero stays zero.
---@return muslin.Array self
function Array:normalize() end

---@param t muslin.Transform
---@return muslin.Array self
function Array:transform(t) end

---@return number | muslin.Vec3
function Array:sum() end

---@return number | muslin.Vec3
function Array:mean() end

---Root of the sum of squares of all numbers.
---@return number
function Array:norm() end

---By component; NaN if there is one.
---@return number | muslin.Vec3
function Array:min() end

---By component; NaN if there is one.
---@return number | muslin.Vec3
function Array:max() end

---The row of the greatest number or the longest vector.
---@return integer i, number value
function Array:argmax() end

---The row of the least number or the shortest vector.
---@return integer i, number value
function Array:argmin() end

---@param b muslin.Operand
---@return muslin.Array
function Array:dot(b) end

---@return muslin.Array
function Array:lengths() end

-- ---- Meshes ----------------------------------------------------------------------------------------------------------

---@class muslin.Mesh
---@field x muslin.Array a view of the vertices, m
---@field vertex_count integer
---@field face_count integer
---@field uv_count integer
---@field grid_nodes integer[]? {nu, nv} of a grid
local Mesh = {}

---@class muslin.mesh
muslin.mesh = {}

---@param options { nodes: integer[], size: number[]?, plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.grid(options) end

---@param options { nodes: integer[], size: number[], plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.strip(options) end

---@param options { radius: number, rings: integer?, plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.disc(options) end

---@param options { radius: number, subdivisions: integer?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.sphere(options) end

---@param options { radius: number, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.icosahedron(options) end

---@param options { size: muslin.Vector, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.box(options) end

---@param options { radius: number, length: number, segments: integer?, rings: integer?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.capsule(options) end

---Reads OBJ, PLY or STL.
---@param path string
---@param options? { scale: number?, up: ("y" | "z")? }
---@return muslin.Mesh
function muslin.mesh.load(path, options) end

---@param options { vertices: muslin.Vector[] | muslin.Array, faces: integer[][], uv: number[][]?, uv_faces: integer[][]?, stitches: number[][]? }
---@return muslin.Mesh
function muslin.mesh.new(options) end

---Writes OBJ, PLY or STL by the path's ending.
---@param path string
---@return muslin.Mesh self
function Mesh:save(path) end

---@param t muslin.Transform
---@return muslin.Mesh self
function Mesh:transform(t) end

---@param n? integer
---@return muslin.Mesh
function Mesh:subdivide(n) end

---@return muslin.Mesh
function Mesh:copy() end

---@class muslin.MeshReport
---@field edges integer
---@field boundary_edges integer
---@field hinges integer
---@field components integer
---@field boundary_loops integer
---@field unused_vertices integer
---@field closed boolean
---@field orientable boolean

---Raises for what no cloth can be made of.
---@return muslin.MeshReport
function Mesh:check() end

---@return number m2
function Mesh:area() end

---@return muslin.Vec3 low, muslin.Vec3 high
function Mesh:bounds() end

---@return integer[][]
function Mesh:faces() end

---@return number[][] rows {i, j, k, share}
function Mesh:stitches() end

-- ---- Materials -------------------------------------------------------------------------------------------------------

---@class muslin.MaterialOptions
---@field preset? string
---@field name? string
---@field density? number kg/m^2
---@field model? "springs" | "stvk" | "neo_hookean" | "measured"
---@field stretch? number N/m, springs
---@field shear? number N/m, springs
---@field bend? number N/m, springs
---@field stretch_warp? number N/m, membranes, as the next three
---@field stretch_weft? number N/m
---@field stretch_poisson? number N/m
---@field stretch_shear? number N/m
---@field warp_angle? number rad
---@field limit_stiffness? number N/m
---@field bending_warp? number N m, membranes, as the next two
---@field bending_weft? number N m
---@field bending_bias? number N m
---@field bending_model? "hinge" | "quadratic"
---@field bending? number N m
---@field compression? number 0..1
---@field damping? number s
---@field bending_damping? number s
---@field viscous_damping? number 1/s
---@field buckling? number N/m
---@field drag? number
---@field strain_limit? number 0.1 is 10 %

---@class muslin.Material: muslin.MaterialOptions
local Material = {}

---@class muslin.material
---@overload fun(options: string | muslin.MaterialOptions): muslin.Material
muslin.material = {}

---@return string[]
function muslin.material.presets() end

---@param changes muslin.MaterialOptions
---@return muslin.Material
function Material:with(changes) end

---@return muslin.MaterialOptions
function Material:totable() end

-- ---- Worlds ----------------------------------------------------------------------------------------------------------

---@class muslin.Pipeline
---@field preset? string
---@field integrator? string
---@field broad? string
---@field narrow? string
---@field response? string
---@field failsafe? string
---@field strain? string

---@class muslin.WorldOptions
---@field dt? number s, the longest step; 1/240
---@field dt_min? number s, with dt_max: bounds of steps that the world chooses
---@field dt_max? number s
---@field fps? number frames a second; 60
---@field duration? number s that a host plays
---@field gravity? muslin.Vector m/s^2; {0, -9.81, 0}
---@field air_density? number kg/m^3; 1.2
---@field wind? muslin.Vector m/s
---@field pipeline? string | muslin.Pipeline "robust"
---@field threads? integer 0: as many as the machine has
---@field seed? integer 1
---@field overlap? "refuse" | "repair" | "allow" before the first step
---@field tolerance? number | {eye: muslin.Vector, pixel: number, least?: number} | (fun(p: any, t: any): any) m, of narrow "spherical"; 0: the thickness

---@class muslin.World
---@field time number s since the start
---@field frame integer the one being made, or made last
---@field dt number s
---@field dt_min number s
---@field dt_max number s
---@field step_size number s
---@field step_index integer steps made
---@field steps_per_frame integer
---@field fps number
---@field duration number s
---@field gravity muslin.Vec3 m/s^2; may be set
---@field wind muslin.Vec3 m/s; may be set
---@field tolerance number | {eye: muslin.Vec3, pixel: number, least: number} | muslin.Rule | (fun(p: any, t: any): any) m; may be set
---@field air_density number kg/m^3
---@field seed integer
---@field threads integer
---@field overlap string
---@field pipeline muslin.Pipeline
---@field cloths muslin.Cloth[]
---@field obstacles muslin.Obstacle[]
---@field seams muslin.Seam[]
---@field closed boolean
local World = {}

---@param options? muslin.WorldOptions
---@return muslin.World
function muslin.world(options) end

---@class muslin.ClothOptions
---@field name? string
---@field mesh muslin.Mesh
---@field rest? muslin.Mesh | "uv"
---@field material? string | muslin.Material | muslin.MaterialOptions "cotton"
---@field thickness? number m; 1e-3
---@field friction? number 0.3
---@field restitution? number 0
---@field velocity? muslin.Vector m/s
---@field self_collision? boolean true

---@param options muslin.ClothOptions
---@return muslin.Cloth
function World:cloth(options) end

---@class muslin.ObstacleOptions
---@field name? string
---@field mesh? muslin.Mesh
---@field shape? "plane" | "sphere" | "box" | "capsule"
---@field radius? number m
---@field length? number m, between a capsule's cap centres
---@field size? muslin.Vector m, of a box
---@field normal? muslin.Vector of a plane
---@field at? muslin.Vector m
---@field rotation? muslin.Quaternion
---@field thickness? number m; 0
---@field friction? number 0.3
---@field restitution? number 0
---@field cache? string path of a PC2 file that a mesh follows
---@field cache_fps? number the world's
---@field cache_start? number s; now
---@field cache_loop? boolean false
---@field cache_scale? number 1
---@field cache_up? "y" | "z"
---@field motion? "dynamic"
---@field mass? number kg, of a dynamic one
---@field velocity? muslin.Vector m/s, of a dynamic one
---@field angular_velocity? muslin.Vector rad/s, of a dynamic one
---@field inertia? muslin.Vector | muslin.Vector[] kg m^2, of a dynamic one about its centre of mass: principal moments, or three rows
---@field center_of_mass? muslin.Vector m, of a dynamic one, in its frame

---@param options muslin.ObstacleOptions
---@return muslin.Obstacle
function World:obstacle(options) end

---@class muslin.SeamOptions
---@field a? { [1]: muslin.Cloth, [2]: integer[] | muslin.Array } cloth and vertices
---@field b? { [1]: muslin.Cloth, [2]: (integer[] | muslin.Array)?, edges: number[][]? } cloth and vertices, or edges {j, k, share}
---@field match? "order" | "length"
---@field cloth? muslin.Cloth
---@field stitches? muslin.Mesh | number[][] rows {i, j, k, share}
---@field closing_time? number s; 0.5
---@field speed? number m/s
---@field stiffness? number N/m a stitch
---@field strength? number N
---@field damping? number s
---@field width? number m

---@class muslin.Seam
---@field count integer
---@field gap number m, the widest
---@field mean_gap number m
---@field pull number N, the strongest
---@field width number m
---@field closing boolean
---@field valid boolean
---@field a muslin.Cloth
---@field b muslin.Cloth

---@param options muslin.SeamOptions
---@return muslin.Seam
function World:stitch(options) end

---@param object muslin.Cloth | muslin.Obstacle | muslin.Response | muslin.Seam
function World:remove(object) end

---@param name string
---@return muslin.Cloth | muslin.Obstacle | nil
function World:find(name) end

---Two objects that do not collide; the same twice: no self-collision.
---@param pair (string | muslin.Cloth | muslin.Obstacle)[]
function World:ignore(pair) end

---What holds for two objects alone; the same twice: for a cloth with itself; one: with anything (but overlap).
---@param pair (string | muslin.Cloth | muslin.Obstacle)[]
---@param options { overlap: ("refuse" | "repair" | "allow")?, friction: muslin.Coefficient?, restitution: muslin.Coefficient?, trace: boolean? }
function World:between(pair, options) end

---Called for every cloth in every step; adds to cloth.f.
---@param f fun(cloth: muslin.Cloth, t: number)
---@param name? string by its time in world:stats()
---@return any token
function World:force(f, name) end

---@param response muslin.Response | muslin.ResponseOptions
---@return muslin.Response
function World:respond(response) end

---@overload fun(self: muslin.World, event: "draw", f: fun(canvas: muslin.Canvas, world: muslin.World, t: number), name?: string): any
---@overload fun(self: muslin.World, event: "key", f: fun(name: string, world: muslin.World): boolean?, name?: string): any
---@param event "before_step" | "candidate" | "contacts" | "after_step" | "frame" | "done"
---@param f fun(world: muslin.World, t: number)
---@param name? string by its time in world:stats()
---@return any token
function World:on(event, f, name) end

---Runs beside the simulation as a coroutine that waits with world:wait and world:wait_until.
---@param f fun(world: muslin.World)
---@param name? string by its time in world:stats()
---@return any token
function World:script(f, name) end

---In a function of world:script.
---@param seconds? number 0: to the next step
---@return number t
function World:wait(seconds) end

---In a function of world:script: until f(world, t), asked at every step, is true.
---@param f fun(world: muslin.World, t: number): any
---@return number t
function World:wait_until(f) end

---@param token any
function World:off(token) end

function World:step() end

---@param seconds number
function World:advance(seconds) end

function World:start() end

function World:run_frame() end

function World:finish() end

---@param seconds? number
function World:run(seconds) end

function World:validate() end

---@class muslin.Finding
---@field kind "crossing" | "vertex_pair" | "edge_pair" | "inside"
---@field objects string[]
---@field faces integer[]
---@field depth? number m

---@class muslin.AuditReport
---@field clean boolean
---@field intersections integer
---@field inside integer
---@field touches integer
---@field allowed integer
---@field pairs_tested integer
---@field max_depth number m
---@field findings muslin.Finding[]

---@param options? { tolerance: number? }
---@return muslin.AuditReport
function World:audit(options) end

---@return muslin.Contacts
function World:contacts() end

---@return string
function World:hash() end

---@return table<string, any>
function World:stats() end

---@return { crossings: integer, inside: integer, touches: integer, moved: integer, rounds: integer, largest: number, allowed: integer }
function World:start_report() end

---@return table<string, number> J
function World:energy() end

---@param path string
function World:save(path) end

---@param path string
---@param options? { by_name?: boolean } by_name: into a world that need not be the same
function World:restore(path, options) end

---In the preview: a script that was saved goes on from where the world before it was.
---@param whether? boolean true
function World:keep(whether) end

---@param name string
---@param value number
function World:log(name, value) end

---@param name string
---@return muslin.Array values, muslin.Array times
function World:logged(name) end

---@param low? number
---@param high? number
---@return number
function World:random(low, high) end

function World:close() end

-- ---- Cloth and obstacles ---------------------------------------------------------------------------------------------

---@class muslin.Cloth
---@field x muslin.Array positions, m
---@field v muslin.Array velocities, m/s
---@field f muslin.Array forces, N; to be written in world:force
---@field m muslin.Array masses, kg
---@field normal muslin.Array unit vertex normals
---@field inverse_mass muslin.Array 1/kg, 0 where pinned
---@field name string
---@field world muslin.World
---@field alive boolean
---@field vertex_count integer
---@field face_count integer
---@field edge_count integer
---@field material muslin.Material
---@field thickness number m
---@field friction number
---@field restitution number
local Cloth = {}

---@class muslin.Choice
---@field vertices? integer[]
---@field corners? boolean the four of a grid
---@field where? fun(x: number, y: number, z: number, i: integer): any

---@class muslin.PinOptions: muslin.Choice
---@field to? muslin.Obstacle
---@field path? fun(t: number, i: integer): muslin.Vector

---@param options muslin.PinOptions
---@return integer count
function Cloth:pin(options) end

---@param options? muslin.Choice
function Cloth:unpin(options) end

---@overload fun(self: muslin.Cloth): integer[]
---@param i integer
---@return boolean
function Cloth:pinned(i) end

---@class muslin.PullOptions: muslin.PinOptions
---@field stiffness number N/m

---@param options muslin.PullOptions
---@return integer count
function Cloth:pull(options) end

---@overload fun(self: muslin.Cloth): integer[]
---@param i integer
---@return number N/m
function Cloth:pulled(i) end

---@return integer[][]
function Cloth:faces() end

---@return integer[][]
function Cloth:edges() end

---@return muslin.Array
function Cloth:rest_lengths() end

---@return { max: number, mean: number, median: number, max_edge: integer }
function Cloth:strain() end

---@return muslin.Vec3 low, muslin.Vec3 high
function Cloth:bounds() end

---@return muslin.Vec3
function Cloth:centroid() end

---@return muslin.Mesh
function Cloth:mesh() end

---@alias muslin.SpringFunction fun(spring: { length: number, rest: number, strain: number, rate: number }): number
---@alias muslin.SpringLaw false | muslin.Rule | muslin.SpringFunction

---The tension, N, of structural springs, or of those named; false: the material's constants.
---@param laws muslin.SpringLaw | { structural: muslin.SpringLaw?, shear: muslin.SpringLaw?, bend: muslin.SpringLaw? }
---@return muslin.Cloth self
function Cloth:spring_law(laws) end

---@class muslin.Obstacle
---@field name string
---@field world muslin.World
---@field alive boolean
---@field shape "mesh" | "plane" | "sphere" | "box" | "capsule"
---@field position muslin.Vec3 m
---@field rotation muslin.Quaternion
---@field radius number? m
---@field length number? m
---@field size muslin.Vec3? m
---@field normal muslin.Vec3? in its frame
---@field thickness number m
---@field friction number
---@field restitution number
---@field dynamic boolean
---@field mass number? kg, of a dynamic one
---@field centre muslin.Vec3? m, of mass
---@field velocity muslin.Vec3? m/s
---@field angular_velocity muslin.Vec3? rad/s
---@field angular_momentum muslin.Vec3? kg m^2/s
local Obstacle = {}

---@param impulse muslin.Vector N s
---@param at? muslin.Vector m
---@return muslin.Obstacle self
function Obstacle:apply_impulse(impulse, at) end

---@param f (muslin.Rule|fun(t: number): muslin.Vector, muslin.Quaternion?)?
---@return muslin.Obstacle self
function Obstacle:move(f) end

---@class muslin.AnimationOptions
---@field cache? string path of a PC2 file
---@field frames? (muslin.Mesh | muslin.Array)[] or these
---@field fps? number frames a second; the world's
---@field start? number s of the world, when the first frame is reached; now
---@field loop? boolean false
---@field scale? number of a cache; 1
---@field up? "y" | "z" of a cache

---@param options muslin.AnimationOptions
---@return muslin.Obstacle self
function Obstacle:animate(options) end

---@return muslin.Mesh
function Obstacle:mesh() end

-- ---- Responses and contacts ------------------------------------------------------------------------------------------

---@class muslin.Contact
---@field normal muslin.Vec3 unit, from side 2 to side 1
---@field velocity muslin.Vec3 m/s, of side 1 relative to side 2
---@field gap number m
---@field thickness number m
---@field start_gap number m
---@field distance number m
---@field depth number m, max(0, -gap)
---@field mass number kg
---@field friction number
---@field restitution number
---@field dt number s
---@field toi number s within the step
---@field time number s since the start
---@field kind "vertex_face" | "edge_edge" | "vertex_plane"
---@field points muslin.Vec3[] one a side, m
---@field vertices integer[][] one list a side
---@field weights number[][] one list a side
---@field objects (muslin.Cloth | muslin.Obstacle)[]
---@field impulse muslin.Vec3 N s
---@field load number N, in functions of friction and restitution only
---@field warps muslin.Vec3[] one a side, likewise
local Contact = {} -- luacheck: ignore

---@alias muslin.Coefficient number | muslin.Rule | fun(contact: muslin.Contact): number

---Columns are views; kind 1: vertex and face, 2: two edges, 3: exact shape; object_a: k in world.cloths, -k in world.obstacles.
---@class muslin.Contacts
---@field [integer] muslin.Contact
---@field normal muslin.Array
---@field velocity muslin.Array
---@field point1 muslin.Array
---@field point2 muslin.Array
---@field impulse muslin.Array
---@field gap muslin.Array
---@field distance muslin.Array
---@field depth muslin.Array
---@field mass muslin.Array
---@field friction muslin.Array
---@field restitution muslin.Array
---@field toi muslin.Array
---@field kind muslin.Array
---@field a muslin.Array
---@field b muslin.Array
---@field object_a muslin.Array
---@field object_b muslin.Array
---@operator len: integer
local Contacts = {}

---@alias muslin.ContactField "normal" | "velocity" | "point1" | "point2" | "impulse" | "gap" | "distance" | "depth" | "mass" | "friction" | "restitution" | "toi" | "kind" | "a" | "b" | "object_a" | "object_b"

---@param field muslin.ContactField
---@return muslin.Array
function Contacts:array(field) end

---@alias muslin.RuleFunction fun(contact: muslin.Contact): muslin.Vector, muslin.Vector?

---@class muslin.ResponseOptions
---@field name? string
---@field rule? string | muslin.RuleFunction | muslin.Rule
---@field friction? number
---@field restitution? number
---@field between? (string | muslin.Cloth | muslin.Obstacle)[]
---@field failsafe? string
---@field trace? boolean

---@class muslin.Response
---@field name string?
---@field rule string | function | nil
---@field failsafe string?
---@field friction number?
---@field restitution number?
local Response = {} -- luacheck: ignore

-- What the numbers of a traced function are while it is traced; vectors have the methods.
---@class muslin.Expression
---@operator add(any): muslin.Expression
---@operator sub(any): muslin.Expression
---@operator mul(any): muslin.Expression
---@operator div(any): muslin.Expression
---@operator pow(any): muslin.Expression
---@operator idiv(any): muslin.Expression
---@operator unm: muslin.Expression
local Expression = {}

---@param w any
---@return muslin.Expression
function Expression:dot(w) end

---@param w any
---@return muslin.Expression
function Expression:cross(w) end

---@return muslin.Expression
function Expression:length() end

---@return muslin.Expression
function Expression:length2() end

---@param w any
---@return muslin.Expression
function Expression:distance(w) end

---@return muslin.Expression
function Expression:normalized() end

---@param w any
---@param t any
---@return muslin.Expression
function Expression:lerp(w, t) end

---@class muslin.Param
---@operator add(number): number
---@operator sub(number): number
---@operator mul(number): number
---@operator div(number): number
---@operator unm: number
local Param = {}

---@param value number
function Param:set(value) end

---@return number
function Param:get() end

---@class muslin.Rule
local Rule = {}

---@param name string
---@param value number
function Rule:set(name, value) end

---@param name string
---@return number
function Rule:get(name) end

---@return string
function Rule:explain() end

---@param options muslin.ResponseOptions
---@return muslin.Response
function muslin.response(options) end

---@overload fun(f: muslin.RuleFunction): muslin.Rule
---@param options { per: ("contact" | "node")?, trace: boolean?, check: boolean? }
---@param f muslin.RuleFunction
---@return muslin.Rule
function muslin.rule(options, f) end

---@param f fun(contact: muslin.Contact): number
---@return muslin.Rule
function muslin.potential(f) end

---@overload fun(f: fun(node: any): any): muslin.Rule
---@param options { trace: boolean?, check: boolean? }
---@param f fun(node: any): any
---@return muslin.Rule
function muslin.node_force(options, f) end

---@param f fun(t: any): any, any
---@return muslin.Rule
function muslin.motion(f) end

---@param f fun(place: any, t: any): any
---@return muslin.Rule
function muslin.wind(f) end

---@overload fun(f: fun(contact: muslin.Contact): any): muslin.Rule
---@param options { trace: boolean?, check: boolean? }
---@param f fun(contact: muslin.Contact): any
---@return muslin.Rule
function muslin.coefficient(options, f) end

---@param f muslin.SpringFunction
---@return muslin.Rule
function muslin.spring_law(f) end

---@param name string
---@param value number
---@return muslin.Param
function muslin.param(name, value) end

-- ---- Canvas ----------------------------------------------------------------------------------------------------------

---@class muslin.Canvas
local Canvas = {}

---@param from muslin.Vector
---@param to muslin.Vector
---@param options? { color: number[]?, width: number? }
function Canvas:line(from, to, options) end

---@param at muslin.Vector
---@param options? { color: number[]?, size: number? }
function Canvas:point(at, options) end

---@param at muslin.Vector
---@param text string
---@param options? { color: number[]?, size: number?, screen: boolean? }
function Canvas:text(at, text, options) end

-- ---- Queries ---------------------------------------------------------------------------------------------------------

---@class muslin.ccd
muslin.ccd = {}

---@param t0 number[] | muslin.Vector[] v f0 f1 f2
---@param t1 number[] | muslin.Vector[]
---@param thickness? number m
---@return number? time
function muslin.ccd.vertex_face(t0, t1, thickness) end

---@param t0 number[] | muslin.Vector[] a0 a1 b0 b1
---@param t1 number[] | muslin.Vector[]
---@param thickness? number m
---@return number? time
function muslin.ccd.edge_edge(t0, t1, thickness) end

---@class muslin.distance
muslin.distance = {}

---@param points number[] | muslin.Vector[] v f0 f1 f2
---@return number distance, number[] weights
function muslin.distance.vertex_face(points) end

---@param points number[] | muslin.Vector[] a0 a1 b0 b1
---@return number distance, number[] weights
function muslin.distance.edge_edge(points) end

---@param a number[] | muslin.Vector[]
---@param b number[] | muslin.Vector[]
---@return boolean crossing, ("crossing" | "touch")? kind
function muslin.intersects(a, b) end

---@param path string
---@param options? { rules: (function | muslin.Rule)[]?, hooks: boolean? }
---@return muslin.World
function muslin.load(path, options) end

---@param path string
---@param options? { tolerance: number? }
---@return muslin.AuditReport
function muslin.audit(path, options) end

-- ---- About muslin ----------------------------------------------------------------------------------------------------

---@return { kind: string, name: string, doc: string, citation: string }[]
function muslin.stages() end

---The presets by name.
---@type table<string, muslin.Pipeline>
muslin.pipelines = {}

---@return { version: string, compiler: string, cpu: string, simd: "baseline"|"avx2"|"avx512" }
function muslin.build() end

---@param value any
---@return string
function muslin.type(value) end

-- ---- Numbers for rules -----------------------------------------------------------------------------------------------

---@param x number
---@param ... number
---@return number
function muslin.max(x, ...) end

---@param x number
---@param ... number
---@return number
function muslin.min(x, ...) end

---@param x number
---@param low number
---@param high number
---@return number
function muslin.clamp(x, low, high) end

---@param x any
---@param y any
---@return number
function muslin.lt(x, y) end

---@param x any
---@param y any
---@return number
function muslin.le(x, y) end

---@param x any
---@param y any
---@return number
function muslin.gt(x, y) end

---@param x any
---@param y any
---@return number
function muslin.ge(x, y) end

---@param x any
---@param y any
---@return number
function muslin.eq(x, y) end

---@param x any
---@param y any
---@return number
function muslin.ne(x, y) end

---@param condition number | boolean
---@param x any
---@param y any
---@return any
function muslin.select(condition, x, y) end

---@param edge number
---@param x number
---@return number
function muslin.step(edge, x) end

---@param low number
---@param high number
---@param x number
---@return number
function muslin.smoothstep(low, high, x) end

---@param place muslin.Vector
---@param seed? integer
---@return number
function muslin.noise(place, seed) end

---@param x number
---@return number
function muslin.floor(x) end

---@param x number
---@return number
function muslin.abs(x) end

---@param x number
---@return number
function muslin.sqrt(x) end

---@param x number
---@return number
function muslin.sin(x) end

---@param x number
---@return number
function muslin.cos(x) end

---@param x number
---@return number
function muslin.tan(x) end

---@param x number
---@return number
function muslin.asin(x) end

---@param x number
---@return number
function muslin.acos(x) end

---@param y number
---@param x number
---@return number
function muslin.atan2(y, x) end

---@param x number
---@return number
function muslin.exp(x) end

---@param x number
---@return number
function muslin.log(x) end

---@param x number
---@param y number
---@return number
function muslin.pow(x, y) end

-- ---- Scenarios and expectations --------------------------------------------------------------------------------------

---A check that raises where it fails; methods return the expectation, so they chain.
---@class muslin.Expectation
---@field never muslin.Expectation what follows is turned round
local Expectation = {}

---@param value any
---@param label? string names the value in messages
---@return muslin.Expectation
function muslin.expect(value, label) end

---A stream of random numbers: stream(), stream(high) and stream(low, high) draw as math.random does.
---@class muslin.Stream
---@overload fun(low?: integer, high?: integer): number
local Stream = {}

---@param low? number
---@param high? number
---@return number
function Stream:number(low, high) end

---@param name string
---@return muslin.Stream
function muslin.random(name) end

---@class muslin.ScenarioOptions
---@field time_limit? number s; 300
---@field memory_limit? number MB
---@field seed? integer

---@class (exact) muslin.ScenarioTable
---@overload fun(name: string, body: fun(...))
---@overload fun(name: string, options: muslin.ScenarioOptions, body: fun(...))
muslin.scenario = {}

---@param cases any[] | table<string, any[]>
---@return fun(name: string, body: fun(case: any, ...))
function muslin.scenario.each(cases) end

function muslin.scenario.together() end

---@param f fun(): ...
function muslin.before(f) end

---@class muslin.PropertyOptions: muslin.ScenarioOptions
---@field cases? integer 25
---@field examples? any[] tried first
---@field shrinks? integer 200

---@class (exact) muslin.PropertyTable
---@overload fun(name: string, generators: table, body: fun(case: any, ...))
---@overload fun(name: string, generators: table, options: muslin.PropertyOptions, body: fun(case: any, ...))
muslin.property = {}

---@param low integer
---@param high integer
---@return table generator
function muslin.property.integer(low, high) end

---@param low number
---@param high number
---@return table generator
function muslin.property.number(low, high) end

---@param low number | number[]
---@param high number | number[]
---@return table generator
function muslin.property.vector(low, high) end

---@param values any[]
---@return table generator
function muslin.property.choice(values) end

---@param item table a generator
---@param least integer
---@param most integer
---@return table generator
function muslin.property.list(item, least, most) end

---@param options? {cloths?: integer[], obstacles?: integer[], nodes?: integer[], speed?: number, materials?: string[], thickness?: number[]}
---@return table generator
function muslin.property.scene(options) end

---@param scene table
---@param options? muslin.WorldOptions
---@return muslin.World
function muslin.property.world(scene, options) end

---@param reason string
function muslin.skip(reason) end

---@generic T: table
---@param defaults T numbers, strings, booleans by name
---@param words? string[] NAME=VALUE; the global arg
---@return T
function muslin.arguments(defaults, words) end

---@param other any
---@return muslin.Expectation
function Expectation:equals(other) end

---@return muslin.Expectation
function Expectation:is_true() end

---@return muslin.Expectation
function Expectation:is_false() end

---@return muslin.Expectation
function Expectation:is_nil() end

---@param kind string as muslin.type says it
---@return muslin.Expectation
function Expectation:is_a(kind) end

---@param x number | muslin.Vector | muslin.Array | any[]
---@param tolerance? number
---@return muslin.Expectation
function Expectation:near(x, tolerance) end

---@param bound number
---@return muslin.Expectation
function Expectation:at_most(bound) end

---@param bound number
---@return muslin.Expectation
function Expectation:at_least(bound) end

---@param bound number
---@return muslin.Expectation
function Expectation:less_than(bound) end

---@param bound number
---@return muslin.Expectation
function Expectation:more_than(bound) end

---@param low number
---@param high number
---@return muslin.Expectation
function Expectation:between(low, high) end

---@param what any
---@return muslin.Expectation
function Expectation:contains(what) end

---@param pattern string
---@return muslin.Expectation
function Expectation:matches(pattern) end

---@param text? string contained in the message, or a Lua pattern
---@return muslin.Expectation
function Expectation:raises(text) end

---@return muslin.Expectation
function Expectation:finite() end

---@param tolerance? number m that a place may be inside an obstacle; 1e-4
---@return muslin.Expectation
function Expectation:penetration_free(tolerance) end

---@param tolerance? number m/s; 0.01
---@return muslin.Expectation
function Expectation:at_rest(tolerance) end

---@param strain number 0.1 is 10 %
---@return muslin.Expectation
function Expectation:stretched_at_most(strain) end

---@param floor muslin.Obstacle | number
---@param tolerance? number m; 1e-4
---@return muslin.Expectation
function Expectation:above(floor, tolerance) end

---@param name string a word
---@param options? {tolerance: number} m
---@return muslin.Expectation
function Expectation:golden(name, options) end

-- Globals of every scene.
scenario = muslin.scenario
property = muslin.property
before = muslin.before
expect = muslin.expect
skip = muslin.skip

return muslin
