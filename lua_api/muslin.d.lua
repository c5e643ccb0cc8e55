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
---@alias muslin.EulerOrder "xyz" | "xzy" | "yxz" | "yzx" | "zxy" | "zyx"
---@alias muslin.Rotation muslin.Quaternion | { axis: muslin.Vector, angle: number } | { euler: muslin.Vector, order: muslin.EulerOrder? }
---A placement: parts, or 9 or 12 numbers (rows of a matrix).
---@alias muslin.Transform { position: muslin.Vector?, rotation: muslin.Rotation?, scale: (number | muslin.Vector)? } | number[]

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

---A vector of three numbers, a value: fields x, y, z and [1]..[3] cannot be set.
---@overload fun(): muslin.Vec3
---@overload fun(v: muslin.Vector): muslin.Vec3
---@param x number
---@param y number
---@param z number
---@return muslin.Vec3
function muslin.vec3(x, y, z) end

---Inner product.
---@param w muslin.Vector
---@return number
function Vec3:dot(w) end

---Vector product.
---@param w muslin.Vector
---@return muslin.Vec3
function Vec3:cross(w) end

---|v|.
---@return number
function Vec3:length() end

---|v|^2.
---@return number
function Vec3:length2() end

---|v - w|.
---@param w muslin.Vector
---@return number
function Vec3:distance(w) end

---v / |v|; zero for the zero vector.
---@return muslin.Vec3
function Vec3:normalized() end

---(1 - t) v + t w.
---@param w muslin.Vector
---@param t number
---@return muslin.Vec3
function Vec3:lerp(w, t) end

---Three numbers.
---@return number x, number y, number z
function Vec3:unpack() end

---A table.
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

---A new array: n rows of zeros, vectors (components 3, the default) or numbers (1), or a table's rows {x, y, z} or numbers.
---@overload fun(rows: number[] | muslin.Vector[] | muslin.Array, components?: 1 | 3): muslin.Array
---@param n integer
---@param components? 1 | 3
---@return muslin.Array
function muslin.array(n, components) end

---Row i as one or three numbers; array[i] gives a number or a vec3, #array the count.
---@param i integer
---@return number x, number? y, number? z
function Array:get(i) end

---Writes row i, as array[i] = {x, y, z} does.
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

---A new array with the same numbers.
---@return muslin.Array
function Array:copy() end

---Numbers or rows {x, y, z}.
---@return number[] | number[][]
function Array:totable() end

---The rows of a list, in its order.
---@param indices muslin.Indices
---@return muslin.Array
function Array:gather(indices) end

---Writes (or adds) rows at the indices, in order.
---@param indices muslin.Indices
---@param values muslin.Operand
---@param mode? "set" | "add"
---@return muslin.Array self
function Array:scatter(indices, values, mode) end

---The indices for which f(x, y, z, i), or f(value, i), is true.
---@param f fun(x: number, y: number, z: number, i: integer): any
---@return integer[]
function Array:where(f) end

---In place: every row becomes b.
---@param b muslin.Operand
---@return muslin.Array self
function Array:fill(b) end

---In place: a + b.
---@param b muslin.Operand
---@return muslin.Array self
function Array:add(b) end

---In place: a - b.
---@param b muslin.Operand
---@return muslin.Array self
function Array:sub(b) end

---In place: a b, by component.
---@param b muslin.Operand
---@return muslin.Array self
function Array:mul(b) end

---In place: a / b, by component.
---@param b muslin.Operand
---@return muslin.Array self
function Array:div(b) end

---In place: s a.
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

---In place, by component; nil: no bound.
---@param low muslin.Operand?
---@param high muslin.Operand?
---@return muslin.Array self
function Array:clamp(low, high) end

---In place: a x b.
---@param b muslin.Operand
---@return muslin.Array self
function Array:cross(b) end

---In place: unit vectors; zero stays zero.
---@return muslin.Array self
function Array:normalize() end

---In place, as mesh:transform.
---@param t muslin.Transform
---@return muslin.Array self
function Array:transform(t) end

---Sum of the rows: a number or a vec3.
---@return number | muslin.Vec3
function Array:sum() end

---Mean of the rows.
---@return number | muslin.Vec3
function Array:mean() end

---Root of the sum of squares of all numbers.
---@return number
function Array:norm() end

---Least, by component; NaN if there is one.
---@return number | muslin.Vec3
function Array:min() end

---Greatest, by component; NaN if there is one.
---@return number | muslin.Vec3
function Array:max() end

---The row of the greatest number or the longest vector.
---@return integer i, number value
function Array:argmax() end

---The row of the least number or the shortest vector.
---@return integer i, number value
function Array:argmin() end

---A new array of a . b.
---@param b muslin.Operand
---@return muslin.Array
function Array:dot(b) end

---A new array of the vectors' lengths.
---@return muslin.Array
function Array:lengths() end

-- ---- Rotations -------------------------------------------------------------------------------------------------------

---@class muslin.rotation
muslin.rotation = {}

---The rotation about an axis {x, y, z} of any length by an angle, rad.
---@param axis muslin.Vector
---@param angle number
---@return muslin.Quaternion
function muslin.rotation.axis(axis, angle) end

---Three rotations about the world's axes by the angles x, y and z (rad), one after the other in the order of the letters: "xyz" rotates about x first, then about y, then about z.
---@param x number
---@param y number
---@param z number
---@param order? muslin.EulerOrder
---@return muslin.Quaternion
function muslin.rotation.euler(x, y, z, order) end

---The smallest rotation that takes direction a to direction b, vectors of any length.
---@param a muslin.Vector
---@param b muslin.Vector
---@return muslin.Quaternion
function muslin.rotation.between(a, b) end

---The rotation b followed by the rotation a.
---@param a muslin.Quaternion
---@param b muslin.Quaternion
---@return muslin.Quaternion
function muslin.rotation.multiply(a, b) end

---The inverse rotation.
---@param q muslin.Quaternion
---@return muslin.Quaternion
function muslin.rotation.inverse(q) end

---The vector v {x, y, z}, rotated by q.
---@param q muslin.Rotation
---@param v muslin.Vector
---@return muslin.Vec3
function muslin.rotation.apply(q, v) end

-- ---- Meshes ----------------------------------------------------------------------------------------------------------

---@class muslin.Mesh
---@field x muslin.Array a view of the vertices, m
---@field vertex_count integer # Number of vertices.
---@field face_count integer # Number of faces.
---@field uv_count integer # Number of texture vertices.
---@field grid_nodes integer[]? {nu, nv} of a grid
local Mesh = {}

---@class muslin.mesh
muslin.mesh = {}

---A rectangle of nodes = {nu, nv} vertices, size in m ({1, 1}), in plane "xz" (or "xy", "yz") about center.
---@param options { nodes: integer[], size: number[]?, plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.grid(options) end

---A vertical grid: as mesh.grid, in plane "xy" by default, and size is required.
---@param options { nodes: integer[], size: number[], plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.strip(options) end

---A disc of `rings` (8) rings of triangles.
---@param options { radius: number, rings: integer?, plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.disc(options) end

---An icosahedron split `subdivisions` (3) times with its vertices on the sphere: 20 * 4^n faces.
---@param options { radius: number, subdivisions: integer?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.sphere(options) end

---12 vertices, 20 faces.
---@param options { radius: number, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.icosahedron(options) end

---size = {x, y, z} in m; 8 vertices, 12 faces.
---@param options { size: muslin.Vector, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.box(options) end

---Axis y; length between the centers of the caps; segments (24) around, rings (6) on each cap.
---@param options { radius: number, length: number, segments: integer?, rings: integer?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.capsule(options) end

---@alias muslin.Axis "x" | "y" | "z"

---A closed cylinder with flat caps, its faces outward. radius and length in m, length along axis ("y"; or "x", "z"), center the middle of the axis. segments (32) around, or edge_length (m): either sets the other, and rows and rings of the caps have edges as long.
---@param options { radius: number, length: number, segments: integer?, edge_length: number?, axis: muslin.Axis?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.cylinder(options) end

---A cylinder without caps, as sleeves, trouser legs and straight skirts are: options as of mesh.cylinder.
---@param options { radius: number, length: number, segments: integer?, edge_length: number?, axis: muslin.Axis?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.tube(options) end

---A cone on a base of radius (m), length (m) high along axis ("y"; or "x", "z"), center the middle of its axis; top_radius (0) makes it a frustum.
---@param options { radius: number, top_radius: number?, length: number, segments: integer?, edge_length: number?, caps: boolean?, axis: muslin.Axis?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.cone(options) end

---A ring of round cross-section about axis ("y"; or "x", "z"): radius (m) to the middle of the tube, tube_radius (m) of the tube, less than radius. segments (32) around the outermost circle, or edge_length (m).
---@param options { radius: number, tube_radius: number, segments: integer?, edge_length: number?, axis: muslin.Axis?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.torus(options) end

---A flat ring, as a circle skirt is cut: between inner_radius and radius (m), in plane "xz" (or "xy", "yz") about center. segments (32) around the outer circle, or edge_length (m); inner circles have fewer.
---@param options { radius: number, inner_radius: number, segments: integer?, edge_length: number?, plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.annulus(options) end

---A flat sheet with any simple outline: points = {{x, y}, ...} (m, along the two axes of the plane, in either direction; at most 4000 with those of holes), holes a list of such outlines.
---@param options { points: number[][], holes: number[][][]?, lines: number[][][]?, edge_length: number, plane: muslin.Plane?, center: muslin.Vector? }
---@return muslin.Mesh
function muslin.mesh.polygon(options) end

---Reads OBJ, PLY, STL, glTF (.glb, .gltf) or USD in text (.usda); a relative path starts at the working directory. scale multiplies coordinates (1); up = "z" turns a z-up file to y-up.
---@param path string
---@param options? { scale: number?, up: ("y" | "z")? }
---@return muslin.Mesh
function muslin.mesh.load(path, options) end

---A mesh from tables: rows {x, y, z} (or an array), rows of three indices from 1, and texture vertices {u, v}, one per vertex or indexed by uv_faces; stitches and groups as returned by mesh:stitches and mesh:groups.
---@param options { vertices: muslin.Vector[] | muslin.Array, faces: integer[][], uv: number[][]?, uv_faces: integer[][]?, stitches: number[][]?, groups: table[]? }
---@return muslin.Mesh
function muslin.mesh.new(options) end

---Writes OBJ, PLY, STL or VTP by the path's extension, to a temporary file that is then renamed.
---@param path string
---@return muslin.Mesh self
function Mesh:save(path) end

---Moves the vertices in place. t: {position = {x, y, z}, rotation as of world:obstacle, scale = number or {x, y, z}}, or 9 or 12 numbers (rows of a matrix).
---@param t muslin.Transform
---@return muslin.Mesh self
function Mesh:transform(t) end

---A new mesh with every face split in four, n (1) times; old vertices keep their numbers.
---@param n? integer
---@return muslin.Mesh
function Mesh:subdivide(n) end

---A copy.
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

---Raises an error for non-manifold edges, faces of zero area, repeated vertices or repeated faces, which names the face; else returns {edges, boundary_edges, hinges, components, boundary_loops, unused_vertices, closed, orientable}.
---@return muslin.MeshReport
function Mesh:check() end

---Area of all faces, m^2.
---@return number m2
function Mesh:area() end

---Corners of the box around the vertices.
---@return muslin.Vec3 low, muslin.Vec3 high
function Mesh:bounds() end

---Where the segment between two places first meets the mesh: the fraction of the way, 0..1, and the number of the face; nil where it does not.
---@param from muslin.Vector
---@param to muslin.Vector
---@return number? fraction, integer? face
---@overload fun(self: muslin.Mesh, from: muslin.Array, to: muslin.Array): muslin.Array, muslin.Array
function Mesh:raycast(from, to) end

---The vertices within the tolerance (m; 1e-6) of the line through two or more points {x, y, z}, in its order, each once: for cloth:crease, pins, measures of folds.
---@param points muslin.Vector[]
---@param tolerance? number
---@return integer[]
function Mesh:polyline(points, tolerance) end

---Rows of three indices from 1.
---@return integer[][]
function Mesh:faces() end

---The stitches of a pattern's panels: rows {i, j, k, share}, vertex i to the point at the fraction share (0..1) from j to k.
---@return number[][] rows {i, j, k, share}
function Mesh:stitches() end

---Named groups of consecutive faces, from the first to the last: rows {name, number of faces}; empty without groups.
---@return table[] rows {name, number of faces}
function Mesh:groups() end

-- ---- Materials -------------------------------------------------------------------------------------------------------

---@class muslin.MaterialOptions
---@field preset? string
---@field name? string
---@field density? number kg/m^2
---@field model? "springs" | "stvk" | "neo_hookean" | "measured" | "mass_spring" | "choi_ko" | "square_network"
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
---@field yield_curvature? number 1/m
---@field bending_hardening? number
---@field yield_strain? number
---@field stretch_hardening? number
---@field recovery_time? number s
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

---The names of the material presets.
---@return string[]
function muslin.material.presets() end

---A copy of the material with some constants changed.
---@param changes muslin.MaterialOptions
---@return muslin.Material
function Material:with(changes) end

---The constants that its model uses, by name.
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
---@field overlap? "refuse" | "untangle" | "allow" before the first step
---@field sleep? boolean whether a world at rest falls asleep; false, in `muslin run` and `muslin view` true
---@field tolerance? number | {eye: muslin.Vector, pixel: number, least?: number} | (fun(p: any, t: any): any) m, of narrow "spherical"; 0: the thickness

---@class muslin.World
---@field time number s since the start
---@field frame integer the one being made, or made last
---@field dt number s
---@field dt_min number s
---@field dt_max number s
---@field step_size number s
---@field step_index integer steps made
---@field steps_per_frame integer # Steps per frame.
---@field fps number # Frames per second.
---@field duration number s
---@field gravity muslin.Vec3 m/s^2; may be set
---@field wind muslin.Vec3 m/s; may be set
---@field tolerance number | {eye: muslin.Vec3, pixel: number, least: number} | muslin.Rule | (fun(p: any, t: any): any) m; may be set
---@field air_density number kg/m^3
---@field seed integer # Seed of the random numbers.
---@field threads integer # As given; 0: one per processor.
---@field overlap string # How overlaps before the first step are handled, as given.
---@field pipeline muslin.Pipeline # The names of the stages by kind.
---@field cloths muslin.Cloth[] # All cloths, in order of creation.
---@field obstacles muslin.Obstacle[] # All obstacles, in order of creation.
---@field seams muslin.Seam[] # All seams, in order of creation.
---@field sleep boolean # As given: whether the world may fall asleep.
---@field asleep boolean at rest, and not solved until something changes
---@field closed boolean # Whether the world was closed.
local World = {}

---Makes a world.
---@param options? muslin.WorldOptions
---@return muslin.World
function muslin.world(options) end

---@alias muslin.Color number[] | string

---@class muslin.CameraOptions
---@field from? muslin.Vector m, the eye
---@field to? muslin.Vector m, the middle of the picture
---@field fov? number rad, vertical; 0.61
---@field follow? muslin.Cloth | muslin.Obstacle
---@field path? { t: number, from: muslin.Vector, to: muslin.Vector, fov?: number }[] t in s

---The camera of pictures, films, POV-Ray scenes and the preview, where the mouse takes over from it and f returns to it.
---@param camera muslin.CameraOptions | (fun(t: number): muslin.CameraOptions) | nil
function World:camera(camera) end

---A title at the top left of pictures and films, and in the preview's panel; nil: none.
---@param text string | nil
function World:title(text) end

---Background of pictures: a color as of world:cloth, or a gradient between two.
---@param color muslin.Color | { top: muslin.Color, bottom: muslin.Color }
function World:background(color) end

---The light that casts shadows in pictures: the direction toward it ({-0.36, 0.8, 0.5}) and its color (white).
---@param options { toward?: muslin.Vector, color?: muslin.Color }
function World:light(options) end

---@alias muslin.MapPicture { picture: string, low?: number, high?: number, origin?: number | number[], size?: number | number[] }
---@alias muslin.Map number | number[] | table<string, number> | muslin.Array | muslin.MapPicture | fun(x: number, y: number, z: number, i: integer): number

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
---@field layer? integer 0: none; 1 is innermost
---@field maps? { density?: muslin.Map, thickness?: muslin.Map, shrinkage?: muslin.Map, stiffness?: muslin.Map, bending?: muslin.Map, damping?: muslin.Map, friction?: muslin.Map, strain_limit?: muslin.Map } kg/m^2; m; share of lengths; three factors; coefficient; strain
---@field mass? "area" | "equal" "area"
---@field color? muslin.Color in pictures
---@field back_color? muslin.Color of the other side
---@field texture? "none" | "weave" | "checker" | "stripes" | { picture: string, origin?: number | number[], size?: number | number[] } "none"
---@field texture_size? number m; 0.05, of "weave" 0.001
---@field texture_color? muslin.Color of every second square, stripe or thread
---@field surface? muslin.Mesh follows the cloth, and is shown and written in its place

---Adds a cloth.
---@param options muslin.ClothOptions
---@return muslin.Cloth
function World:cloth(options) end

---@class muslin.ObstacleOptions
---@field name? string
---@field mesh? muslin.Mesh
---@field shape? "plane" | "sphere" | "box" | "capsule" | "cylinder"
---@field radius? number m
---@field length? number m, between a capsule's cap centers, a cylinder's ends
---@field size? muslin.Vector m, of a box
---@field normal? muslin.Vector of a plane
---@field at? muslin.Vector m
---@field rotation? muslin.Rotation
---@field thickness? number m; 0
---@field friction? number 0.3
---@field restitution? number 0
---@field cache? string path of a PC2, .npy, .npz, .mdd or glTF file that a mesh follows
---@field cache_array? string name of the array in an .npz
---@field cache_animation? string name of the animation in a glTF file
---@field cache_fps? number the world's
---@field cache_start? number s; now
---@field cache_lead_in? number s; 0
---@field cache_interpolation? "smooth" | "linear" "smooth"
---@field cache_loop? boolean false
---@field cache_scale? number 1
---@field cache_up? "y" | "z"
---@field motion? "dynamic"
---@field mass? number kg, of a dynamic one
---@field velocity? muslin.Vector m/s, of a dynamic one
---@field angular_velocity? muslin.Vector rad/s, of a dynamic one
---@field inertia? muslin.Vector | muslin.Vector[] kg m^2, of a rigid body about its center of mass: principal moments, or three rows
---@field center_of_mass? muslin.Vector m, of a dynamic one, in its frame
---@field color? muslin.Color in pictures
---@field back_color? muslin.Color of the inner side; the same
---@field texture? "none" | "weave" | "checker" | "stripes" | { picture: string, origin?: number | number[], size?: number | number[] } "none"; of a mesh with texture coordinates
---@field texture_size? number m; 0.05, of "weave" 0.001
---@field texture_color? muslin.Color of every second square, stripe or thread

---Adds an obstacle: fixed, until obstacle:move or animate, or a rigid body.
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
---@field count integer # Number of stitches.
---@field gap number m, the widest
---@field mean_gap number m
---@field pull number N, the strongest
---@field width number m
---@field closing boolean # Whether some stitches are still being shortened.
---@field valid boolean # False after the seam was removed, or one of its cloths.
---@field a muslin.Cloth # The cloth whose vertices are sewn.
---@field b muslin.Cloth # The cloth that they are sewn to.

---Sews vertices to vertices or to points of edges by stitches, which shorten to their final length and then keep it.
---@param options muslin.SeamOptions
---@return muslin.Seam
function World:stitch(options) end

---Removes a cloth (and its seams), an obstacle, a response or a seam.
---@param object muslin.Cloth | muslin.Obstacle | muslin.Response | muslin.Seam
function World:remove(object) end

---The object of that name.
---@param name string
---@return muslin.Cloth | muslin.Obstacle | nil
function World:find(name) end

---Excludes two objects (names or objects) from collisions with each other; the same object twice: no self-collision.
---@param pair (string | muslin.Cloth | muslin.Obstacle)[]
function World:ignore(pair) end

---Settings of a pair of objects (names or objects); the same twice: of a cloth with itself.
---@param pair (string | muslin.Cloth | muslin.Obstacle)[]
---@param options { overlap: ("refuse" | "untangle" | "allow")?, pinch: ("refuse" | "release")?, friction: muslin.Coefficient?, restitution: muslin.Coefficient?, trace: boolean? }
function World:between(pair, options) end

---f(cloth, t) is called for every cloth in every step and adds to cloth.f, N; or a muslin.node_force, or a muslin.wind. name: as in world:on.
---@param f fun(cloth: muslin.Cloth, t: number)
---@param name? string by its time in world:stats()
---@return any token
function World:force(f, name) end

---Adds a response.
---@param response muslin.Response | muslin.ResponseOptions
---@return muslin.Response
function World:respond(response) end

---Calls f at an event. world:stats() lists its time under the name, by default the line that defines f.
---@overload fun(self: muslin.World, event: "draw", f: fun(canvas: muslin.Canvas, world: muslin.World, t: number), name?: string): any
---@overload fun(self: muslin.World, event: "key", f: fun(name: string, world: muslin.World): boolean?, name?: string): any
---@param event "before_step" | "candidate" | "contacts" | "after_step" | "frame" | "done"
---@param f fun(world: muslin.World, t: number)
---@param name? string by its time in world:stats()
---@return any token
function World:on(event, f, name) end

---f(world) runs as a coroutine beside the simulation from the next step on: it waits with world:wait and world:wait_until.
---@param f fun(world: muslin.World)
---@param name? string by its time in world:stats()
---@return any token
function World:script(f, name) end

---In a function of world:script: waits for the step that begins `seconds` (0) later, s, at least for the next one; returns its time.
---@param seconds? number 0: to the next step
---@return number t
function World:wait(seconds) end

---In a function of world:script: waits until f(world, t) is true, which is evaluated at the beginning of every step; returns at once if it is true already.
---@param f fun(world: muslin.World, t: number): any
---@return number t
function World:wait_until(f) end

---Removes a hook, a force or a function of world:script.
---@param token any
function World:off(token) end

---One step of step_size.
function World:step() end

---Simulates equal steps no longer than step_size.
---@param seconds number
function World:advance(seconds) end

---Validates the state and calls the frame hooks for frame 0; once.
function World:start() end

---The steps of one frame, then the frame hooks.
function World:run_frame() end

---Calls the done hooks; once.
function World:finish() end

---The frame that is being made is the last one: `muslin run`, test, compare and sweep then call the done hooks and end, world:run returns, and the preview pauses. world:step and world:advance are not affected.
function World:stop() end

---Calls start, run_frame until `seconds` (the world's duration), and finish: for scripts that simulate their world themselves.
---@param seconds? number
function World:run(seconds) end

---Checks the state as the next step would: raises an error for values that are not finite and faces that intersect.
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

---Checks the state with exact predicates, independently of collision detection: {clean, intersections, inside, touches, pairs_tested, max_depth, allowed, findings = {{kind, objects, faces, depth}, ...}}. inside counts features deeper in an obstacle than tolerance (1e-4 m). allowed counts overlaps with an exemption (overlap = "allow"), which are no findings.
---@param options? { tolerance: number? }
---@return muslin.AuditReport
function World:audit(options) end

---The contacts of the present step (in the contacts and after_step hooks) or the last one.
---@return muslin.Contacts
function World:contacts() end

---16 digits; equal for equal times, positions and velocities, on every machine.
---@return string
function World:hash() end

---Of the last step: step_ms, dt (s, its length), phase_ms, candidates, contacts, ccd_tests, ccd_hits, ccd_passes, zones, zone_vertices, substeps, allowed (overlap exemptions that remain), pinched (vertices released by world:between), iterations, residual, max_strain, kinetic_energy (J), contact_energy (J; of potential pipelines), unresolved: pairs that collide in the state that a classic pipeline committed, culled: pairs of faces that normal cones ruled out (broad = "partition_tree_cones", "quad_tree_cones", "partition_tree_sound"), and box_tests: pairs of boxes that the broad phase compared one by one (0 with "box_tree", which compares many at a time). hooks: a list of {event, name, calls, step_ms, total_ms} for each function of world:on, force and script; step_ms is its time since the last step began.
---@return table<string, any>
function World:stats() end

---The check before the first step and its corrections: crossings (pairs of faces), inside (vertices and faces inside obstacles), touches (pairs without a gap), moved (vertices), largest (m, the largest displacement), rounds, allowed (overlap exemptions by overlap = "allow"; world:stats().allowed counts those that remain), misplaced (vertices of layers that are still on the wrong side), and pairs: a list of {a, b, crossings, inside, moved, largest}, the part that is due to two objects (of the same name: to a cloth and itself); crossings and inside as found, moved and largest of vertices displaced because of this pair.
---@return { crossings: integer, inside: integer, touches: integer, moved: integer, rounds: integer, largest: number, allowed: integer, misplaced: integer, pairs: { a: string, b: string, crossings: integer, inside: integer, moved: integer, largest: number }[] }
function World:start_report() end

---Energy of all cloths and rigid bodies after the last step, J: kinetic (of it rotational, of the rotation of bodies), elastic, gravitational (0 at the origin), contact, and total, the sum of these four.
---@return table<string, number> J
function World:energy() end

---Writes the world's complete state to a temporary file that is then renamed; not within a step.
---@param path string
function World:save(path) end

---Restores the state of a saved file in this world, which keeps its functions; objects, materials and settings must be those of the saved one, and an error names the first difference.
---@param path string
---@param options? { by_name?: boolean } by_name: into a world that need not be the same
function World:restore(path, options) end

---In the preview a saved script is run again: with this call its world continues from the state of the previous one, as by world:restore(path, {by_name = true}), instead of from its start.
---@param whether? boolean true
function World:keep(whether) end

---Records a number with the frame and time, for the run's log.csv and manifest.
---@param name string
---@param value number
function World:log(name, value) end

---The values recorded under a name, and their times, as two arrays.
---@param name string
---@return muslin.Array values, muslin.Array times
function World:logged(name) end

---Wakes the world if it is asleep: for a change that it does not see.
function World:wake() end

---A random number in [low, high) of the world's own stream; 0 and 1.
---@param low? number
---@param high? number
---@return number
function World:random(low, high) end

---Frees the world now; `local world <close> = ...` does it at the end of the block.
function World:close() end

-- ---- Cloth and obstacles ---------------------------------------------------------------------------------------------

---@class muslin.Cloth
---@field x muslin.Array positions, m
---@field v muslin.Array velocities, m/s
---@field f muslin.Array forces, N; to be written in world:force
---@field m muslin.Array masses, kg; to be written between steps, 1e-30 to 1e30
---@field normal muslin.Array unit vertex normals
---@field inverse_mass muslin.Array 1/kg, 0 where pinned
---@field name string # Its name.
---@field world muslin.World # Its world.
---@field alive boolean # Whether it is still in its world.
---@field vertex_count integer # Number of vertices.
---@field face_count integer # Number of faces.
---@field edge_count integer # Number of edges.
---@field material muslin.Material # Its material.
---@field thickness number m
---@field friction number # Coulomb coefficient.
---@field restitution number # 0..1.
---@field layer integer # Its layer; 0: none.
---@field color muslin.Color? in pictures
---@field back_color muslin.Color? of the other side
local Cloth = {}

---@alias muslin.Edge "top" | "bottom" | "left" | "right"
---@alias muslin.Corner "top_left" | "top_right" | "bottom_left" | "bottom_right"

---@class muslin.Choice
---@field vertices? integer[]
---@field corners? true | muslin.Corner | muslin.Corner[] of a grid
---@field edge? muslin.Edge | muslin.Edge[] of a grid
---@field where? fun(x: number, y: number, z: number, i: integer): any
---@field allow_none? boolean `where` may be true for none

---@class muslin.PinOptions: muslin.Choice
---@field to? muslin.Obstacle
---@field path? fun(t: number, i: integer): muslin.Vector

---Pins vertices: at their positions, to an obstacle, or to a path.
---@param options muslin.PinOptions
---@return integer count
function Cloth:pin(options) end

---Removes pins and pulling constraints of vertices, selected as for cloth:pin; by default of all.
---@param options? muslin.Choice
function Cloth:unpin(options) end

---Whether vertex i is pinned, or the list of all pinned vertices.
---@overload fun(self: muslin.Cloth): integer[]
---@param i integer
---@return boolean
function Cloth:pinned(i) end

---@class muslin.PullOptions: muslin.PinOptions
---@field stiffness number N/m
---@field damping? number N s/m

---Soft pins: pulls vertices toward the positions of cloth:pin.
---@param options muslin.PullOptions
---@return integer count
function Cloth:pull(options) end

---The stiffness of the pulling constraint of vertex i, N/m, 0: none; or the list of all vertices that have one.
---@overload fun(self: muslin.Cloth): integer[]
---@param i integer
---@return number N/m
function Cloth:pulled(i) end

---Sets the angle at rest (rad) of the edges along a path of vertices: fold lines and pleats.
---@param vertices integer[]
---@param angle number rad
function Cloth:crease(vertices, angle) end

---The angle (rad) across the edge between two vertices, now and at rest, as in cloth:crease.
---@param a integer
---@param b integer
---@return number angle
---@return number rest
function Cloth:angle(a, b) end

---Rows of three indices from 1.
---@return integer[][]
function Cloth:faces() end

---Rows of two indices from 1.
---@return integer[][]
function Cloth:edges() end

---Rest length of each edge, m.
---@return muslin.Array
function Cloth:rest_lengths() end

---Rest length of each edge, m, plastic stretch included (yield_strain of the material): of membranes the mean of its faces'.
---@return muslin.Array
function Cloth:unloaded_lengths() end

---Strain of the edges: length/rest - 1, or 0 where shorter.
---@return { max: number, mean: number, median: number, max_edge: integer }
function Cloth:strain() end

---Corners of the box around the cloth.
---@return muslin.Vec3 low, muslin.Vec3 high
function Cloth:bounds() end

---Mass-weighted mean of the positions, m.
---@return muslin.Vec3
function Cloth:centroid() end

---A copy of the mesh that follows the cloth (`surface` of world:cloth) where it is now.
---@return muslin.Mesh?
function Cloth:surface() end

---A mesh of the present positions, with the groups of the mesh it was made of.
---@return muslin.Mesh
function Cloth:mesh() end

---@alias muslin.SpringFunction fun(spring: { length: number, rest: number, strain: number, rate: number }): number
---@alias muslin.SpringLaw false | muslin.Rule | muslin.SpringFunction

---Sets the tension of springs by a function, or a muslin.spring_law, in place of the material's constants: f for the structural ones (along the yarns of a grid, the edges of another mesh), or a table {structural =, shear =, bend =}; false: the constants again.
---@param laws muslin.SpringLaw | { structural: muslin.SpringLaw?, shear: muslin.SpringLaw?, bend: muslin.SpringLaw? }
---@return muslin.Cloth self
function Cloth:spring_law(laws) end

---@class muslin.Obstacle
---@field name string # Its name.
---@field world muslin.World # Its world.
---@field alive boolean # Whether it is still in its world.
---@field shape "mesh" | "plane" | "sphere" | "box" | "capsule" | "cylinder"
---@field position muslin.Vec3 m
---@field rotation muslin.Quaternion # Unit quaternion.
---@field radius number? m
---@field length number? m
---@field size muslin.Vec3? m
---@field normal muslin.Vec3? in its frame
---@field thickness number m
---@field friction number # Coulomb coefficient.
---@field restitution number # 0..1.
---@field dynamic boolean # Whether it is a rigid body.
---@field mass number? kg, of a dynamic one
---@field center muslin.Vec3? m, of mass
---@field velocity muslin.Vec3? m/s
---@field angular_velocity muslin.Vec3? rad/s
---@field angular_momentum muslin.Vec3? kg m^2/s
---@field color muslin.Color? in pictures
local Obstacle = {}

---Changes the velocities of a rigid body at once by an impulse, N s, at a position in the world, m; by default at its center of mass.
---@param impulse muslin.Vector N s
---@param at? muslin.Vector m
---@return muslin.Obstacle self
function Obstacle:apply_impulse(impulse, at) end

---f(t) returns the position {x, y, z} at time t and, for a rotation, one as of world:obstacle.
---@param f (muslin.Rule|fun(t: number): muslin.Vector, muslin.Quaternion?)?
---@return muslin.Obstacle self
function Obstacle:move(f) end

---@class muslin.AnimationOptions
---@field cache? string path of a PC2, .npy, .npz, .mdd or glTF file
---@field array? string name of the array in an .npz
---@field animation? string name of the animation in a glTF file
---@field frames? (muslin.Mesh | muslin.Array)[] or these
---@field fps? number frames a second; the world's
---@field start? number s of the world, when the first frame is reached; now
---@field lead_in? number s before start, from the mesh to the first frame; 0
---@field interpolation? "smooth" | "linear" "smooth"
---@field loop? boolean false
---@field scale? number of a cache; 1
---@field up? "y" | "z" of a cache

---Moves each vertex of a mesh obstacle through frames, in the obstacle's own frame (at, rotation, obstacle:move).
---@param options muslin.AnimationOptions
---@return muslin.Obstacle self
function Obstacle:animate(options) end

---Its present surface in world coordinates; exact shapes as fine inscribed meshes, a plane as a quad.
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
---@field friction number # Coulomb coefficient of the pair, or of the response.
---@field restitution number # 0..1, of the pair, or of the response.
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
---@field normal muslin.Array # A column: a read-only view with a row for each contact.
---@field velocity muslin.Array # m/s, of side 1 relative to side 2.
---@field point1 muslin.Array # m, the nearest points on side 1.
---@field point2 muslin.Array # m, the nearest points on side 2.
---@field impulse muslin.Array # N s, on side 1.
---@field gap muslin.Array # m, distance less thickness.
---@field distance muslin.Array # m.
---@field depth muslin.Array # m, max(0, -gap).
---@field mass muslin.Array # kg.
---@field friction muslin.Array # Coulomb coefficient.
---@field restitution muslin.Array # 0..1.
---@field toi muslin.Array # s within the step; 0 for proximity at its start.
---@field kind muslin.Array # 1: a vertex and a face; 2: two edges; 3: a vertex or more and an exact shape.
---@field a muslin.Array # Of side 1 the vertex with the largest weight, from 1: an index into its cloth's arrays; 0 where the side has none.
---@field b muslin.Array # The same of side 2; 0 for an exact shape.
---@field object_a muslin.Array # The object of side 1: k for world.cloths[k], -k for world.obstacles[k].
---@field object_b muslin.Array # The same of side 2.
---@operator len: integer
local Contacts = {}

---@alias muslin.ContactField "normal" | "velocity" | "point1" | "point2" | "impulse" | "gap" | "distance" | "depth" | "mass" | "friction" | "restitution" | "toi" | "kind" | "a" | "b" | "object_a" | "object_b"

---A column of the contacts (contacts.normal and so on) as a new array, which stays valid after the step.
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
---@field name string? # As given.
---@field rule string | function | nil
---@field failsafe string? # As given.
---@field friction number? # As given; nil: that of the pair.
---@field restitution number? # As given; nil: that of the pair.
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

---Of a traced vector, as vec3:dot.
---@param w any
---@return muslin.Expression
function Expression:dot(w) end

---Of a traced vector, as vec3:cross.
---@param w any
---@return muslin.Expression
function Expression:cross(w) end

---Of a traced vector, as vec3:length; its derivative at zero is zero.
---@return muslin.Expression
function Expression:length() end

---Of a traced vector, as vec3:length2.
---@return muslin.Expression
function Expression:length2() end

---Of a traced vector, as vec3:distance.
---@param w any
---@return muslin.Expression
function Expression:distance(w) end

---Of a traced vector, as vec3:normalized.
---@return muslin.Expression
function Expression:normalized() end

---Of a traced vector, as vec3:lerp.
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

---Sets the value, a finite number, from the next contacts on.
---@param value number
function Param:set(value) end

---The present value.
---@return number
function Param:get() end

---@class muslin.Rule
local Rule = {}

---The value of a muslin.param that the traced function uses, by its name.
---@param name string
---@param value number
function Rule:set(name, value) end

---The present value of a muslin.param that the traced function uses.
---@param name string
---@return number
function Rule:get(name) end

---Describes the traced program: operations by kind, inputs, every line, results, and derivatives if there are any.
---@return string
function Rule:explain() end

---A response to contacts, for world:respond.
---@param options muslin.ResponseOptions
---@return muslin.Response
function muslin.response(options) end

---A response rule from a function of one contact, for muslin.response.
---@overload fun(f: muslin.RuleFunction): muslin.Rule
---@param options { per: ("contact" | "node")?, trace: boolean?, check: boolean? }
---@param f muslin.RuleFunction
---@return muslin.Rule
function muslin.rule(options, f) end

---A contact energy (J) for muslin.response, from a function of one contact, traced as by muslin.rule, and evaluated for all contacts at once (by "vbd" vertex by vertex).
---@param f fun(contact: muslin.Contact): number
---@return muslin.Rule
function muslin.potential(f) end

---A force on every vertex, for world:force, from a function of one vertex that returns it (N).
---@overload fun(f: fun(node: any): any): muslin.Rule
---@param options { trace: boolean?, check: boolean? }
---@param f fun(node: any): any
---@return muslin.Rule
function muslin.node_force(options, f) end

---A motion for obstacle:move from a function of time (s) that returns the position {x, y, z} (m) and, for a rotation, a unit quaternion {w, x, y, z}.
---@param f fun(t: any): any, any
---@return muslin.Rule
function muslin.motion(f) end

---A wind that depends on position and time, for world:force, from a function of a position (vec3, m) and the time (s) that returns the velocity of the air (m/s).
---@param f fun(place: any, t: any): any
---@return muslin.Rule
function muslin.wind(f) end

---Friction or restitution of a pair for world:between, from a function of one contact that returns the coefficient: friction >= 0, restitution 0..1, else the step raises an error with the line of the function and the value.
---@overload fun(f: fun(contact: muslin.Contact): any): muslin.Rule
---@param options { trace: boolean?, check: boolean? }
---@param f fun(contact: muslin.Contact): any
---@return muslin.Rule
function muslin.coefficient(options, f) end

---A law of springs for cloth:spring_law, from a function of one spring that returns its tension (N, negative in compression).
---@param f muslin.SpringFunction
---@return muslin.Rule
function muslin.spring_law(f) end

---A named number for traced functions, which may be changed between steps without tracing again.
---@param name string
---@param value number
---@param min? number
---@param max? number
---@return muslin.Param
function muslin.param(name, value, min, max) end

-- ---- Canvas ----------------------------------------------------------------------------------------------------------

---@class muslin.Canvas
local Canvas = {}

---A line in world space; color {r, g, b[, a]} 0..1 (dark gray), width in pixels (1.5).
---@param from muslin.Vector
---@param to muslin.Vector
---@param options? { color: number[]?, width: number? }
function Canvas:line(from, to, options) end

---A point in world space, size in pixels (6).
---@param at muslin.Vector
---@param options? { color: number[]?, size: number? }
function Canvas:point(at, options) end

---Text at a position; with screen = true x and y are pixels from the top left.
---@param at muslin.Vector
---@param text string
---@param options? { color: number[]?, size: number?, screen: boolean? }
function Canvas:text(at, text, options) end

-- ---- Queries ---------------------------------------------------------------------------------------------------------

---@class muslin.ccd
muslin.ccd = {}

---The earliest time in [0, 1] at which a vertex and a face that move linearly come within `thickness` (m, 0) of each other, or nil.
---@param t0 number[] | muslin.Vector[] v f0 f1 f2
---@param t1 number[] | muslin.Vector[]
---@param thickness? number m
---@return number? time
function muslin.ccd.vertex_face(t0, t1, thickness) end

---The same for two edges: 12 numbers in the order a0 a1 b0 b1, or four positions.
---@param t0 number[] | muslin.Vector[] a0 a1 b0 b1
---@param t1 number[] | muslin.Vector[]
---@param thickness? number m
---@return number? time
function muslin.ccd.edge_edge(t0, t1, thickness) end

---@class muslin.distance
muslin.distance = {}

---Distance of a vertex from a face and the barycentric weights of the nearest point. points: v f0 f1 f2.
---@param points number[] | muslin.Vector[] v f0 f1 f2
---@return number distance, number[] weights
function muslin.distance.vertex_face(points) end

---Distance of two edges and the positions of the nearest points along them, 0..1. points: a0 a1 b0 b1.
---@param points number[] | muslin.Vector[] a0 a1 b0 b1
---@return number distance, number[] weights
function muslin.distance.edge_edge(points) end

---Whether two triangles (9 numbers or three positions each) cross, decided exactly; kind is "crossing", "touch" or nil.
---@param a number[] | muslin.Vector[]
---@param b number[] | muslin.Vector[]
---@return boolean crossing, ("crossing" | "touch")? kind
function muslin.intersects(a, b) end

---A world from a file of world:save: it continues bit for bit from the saved state, log and math.random included.
---@param path string
---@param options? { rules: (function | muslin.Rule)[]?, hooks: boolean? }
---@return muslin.World
function muslin.load(path, options) end

---The exact intersection check of an OBJ, PLY, STL, glTF or .usda file; parts named "obstacle:..." are obstacles.
---@param path string
---@param options? { tolerance: number? }
---@return muslin.AuditReport
function muslin.audit(path, options) end

-- ---- Measures of shape ---------------------------------------------------------------------------------------------

---@class muslin.measure
muslin.measure = {}

---Folds of a line of vertices of a cloth or mesh: maxima of its curvature.
---@param object muslin.Cloth | muslin.Mesh
---@param line integer[] vertices, in order
---@param options? { length: number?, angle: number? } m, rad
---@return integer count, integer[] positions
function muslin.measure.folds(object, line, options) end

---Turns of a line of vertices about an axis: the sum of the angles from vertex to vertex, counterclockwise seen from the tip of the axis, in full turns.
---@param object muslin.Cloth | muslin.Mesh
---@param line integer[] vertices, in order
---@param options? { origin: muslin.Vector?, axis: muslin.Vector? }
---@return number turns
function muslin.measure.turns(object, line, options) end

---Layers of a cloth or mesh: parallel lines are intersected with its faces. area: m^2, of the projection along the lines, the covered area; mean: layers per line, of the lines that meet a face; most: the largest number; share: of those lines, the share with one layer, with two, and so on.
---@param object muslin.Cloth | muslin.Mesh
---@param options? { axis: ("x" | "y" | "z")?, spacing: number? }
---@return { area: number, mean: number, most: integer, share: number[] }
function muslin.measure.layers(object, options) end

-- ---- Stages of USD ---------------------------------------------------------------------------------------------------

---@class muslin.usd
muslin.usd = {}

---@class muslin.Stage
---@field meshes { name: string, path: string, mesh: muslin.Mesh, cloth: boolean, collider: boolean, moves: boolean, rest: any, material: table?, thickness: number?, friction: number?, restitution: number?, masses: number[]?, folds: number[][]? }[]
---@field fps number # Time codes per second.
---@field seams { a: integer, b: integer, vertices_a: integer[], vertices_b: integer[], stiffness: number? }[]
local Stage = {}

---Reads the meshes of a .usda, and its cloths and seams by the names of the proposal for deformable bodies in UsdPhysics (physics: or omniphysics:).
---@param path string
---@param options? { scale: number?, up: "y" | "z" | nil }
---@return muslin.Stage
function muslin.usd.load(path, options) end

---Adds its cloths, then its obstacles, which follow their time samples, then its seams; returns the cloths and obstacles.
---@param world muslin.World
---@param options? { material: any, thickness: number?, friction: number?, restitution: number? }
---@return (muslin.Cloth | muslin.Obstacle)[]
function Stage:add(world, options) end

-- ---- Sewing patterns -------------------------------------------------------------------------------------------------

---@class muslin.PatternOptions
---@field panels table<string, { vertices: number[][], edges: { endpoints: integer[], curvature: table?, label: string? }[], folds: { points: number[][], angle: number? }[]?, translation: number[]?, rotation: number[]?, label: string? }>
---@field stitches? table[] rows {{panel, edge}, {panel, edge}, same_way =}
---@field edge_length? number m; 0.01
---@field units? number m; 1
---@field curvature? "relative" | "absolute"
---@field order? string[]

---@class muslin.Pattern
---@field panels { name: string, label: string?, mesh: muslin.Mesh, corners: number[][], translation: number[], rotation: number[], edges: { length: number, vertices: integer[], label: string?, stitch: integer? }[], folds: { points: number[][], angle: number, vertices: integer[] }[] }[]
---@field stitches { a: table, b: table, same_way: boolean, number: integer, pairs: integer[][] }[]
---@field edge_length number # m, of triangles.
local Pattern = {}

---A sewing pattern: flat panels with straight or curved edges, and stitches between edges.
---@param options muslin.PatternOptions
---@return muslin.Pattern
function muslin.pattern(options) end

---Reads a *_specification.json of GarmentCode (Korosteleva and Sorkine-Hornung 2023) or of the Garment Pattern Generator.
---@param path string
---@param options? { edge_length: number?, units: number? } m
---@return muslin.Pattern
function muslin.pattern.load(path, options) end

---Adds a cloth for each panel, named by the panel (with `name`: "name.panel"), and a seam for each stitch (or each of `stitches`, as pattern:sew does). cloth: options of world:cloth for all panels; stitch: options of world:stitch, such as closing_time.
---@param world muslin.World
---@param options? { name: string?, cloth: table?, stitch: table?, stitches: table[]? }
---@return { cloths: table<string, muslin.Cloth>, seams: muslin.Seam[] }
function Pattern:add(world, options) end

---Moves panels to where they enclose the limbs of a body (a mesh or an obstacle) in another pose than the one they were placed for: writes the vertices of their meshes.
---@param body muslin.Mesh | muslin.Obstacle
---@return { panels: string[], distance: number, angle: number }[] rows m, rad
function Pattern:place(body) end

---Adds a seam for each stitch, or for each of `stitches`, a list of rows of pattern.stitches. cloths: by the names of the panels, as pattern:add returns them; stitch: options of world:stitch.
---@param world muslin.World
---@param cloths table<string, muslin.Cloth>
---@param options? { stitches: table[]?, stitch: table? }
---@return muslin.Seam[]
function Pattern:sew(world, cloths, options) end

---The panels flat and side by side, at true size (1 unit is 1 mm), with numbered stitches, as an SVG document. `muslin pattern FILE --svg` prints it.
---@return string
function Pattern:svg() end

---@class muslin.Garment
---@field phase "waiting" | "sewing" | "sewn" | "draping" | "at rest"
---@field moved_out number # m, by how much panels were moved away from the body, to clear the garment below.
---@field cloth muslin.Cloth? # The garment, after sewing.
---@field panels table<string, muslin.Cloth>
---@field seams muslin.Seam[] # The seams during sewing; later that of the vertices that are apart.
---@field apart integer # Number of stitches between sewn vertices that did not become one, as something would intersect.
---@field placed { panels: string[], distance: number, angle: number }[]
---@field moving number # The share of vertices that moved by more than rest_motion in the last second; 1 before.
---@field rest_time number? # When it came to rest, s.
local Garment = {}

---Sews a pattern around a body and drapes it, while the world is simulated.
---@param world muslin.World
---@param options { pattern: string | muslin.Pattern, body: string | muslin.Mesh | muslin.Obstacle, name: string?, edge_length: number?, material: (string | muslin.MaterialOptions)?, thickness: number?, friction: number?, closing_time: number?, elastic: { panel: string, edge: integer, shrinkage: number, width: number? }[]?, attach: (true | string[])?, attach_time: number?, over: muslin.Garment?, placing: boolean?, gravity: muslin.Vector?, rest_share: number?, rest_motion: number?, stop: boolean? }
---@return muslin.Garment
function muslin.dress(world, options) end

---The mesh of the whole garment, sewn vertices being one: as it is now, or with "sewn" its panels where they start.
---@param state? "sewn"
---@return muslin.Mesh
function Garment:mesh(state) end

---The widest distance of two vertices that are sewn and are not one, m.
---@return number m
function Garment:gap() end

-- ---- About muslin ----------------------------------------------------------------------------------------------------

---All stages of pipelines: {kind, name, doc, citation}.
---@return { kind: string, name: string, doc: string, citation: string }[]
function muslin.stages() end

---The presets by name.
---@type table<string, muslin.Pipeline>
muslin.pipelines = {}

---Version and compiler of this build, the processor, and the instruction set that the kernels use.
---@return { version: string, compiler: string, cpu: string, simd: "baseline"|"avx2"|"avx512" }
function muslin.build() end

---"world", "cloth", "obstacle", "seam", "mesh", "material", "response", "rule", "contact", "contacts", "vec3", "array", "canvas", or the result of Lua's type.
---@param value any
---@return string
function muslin.type(value) end

-- ---- Numbers for rules -----------------------------------------------------------------------------------------------

---The largest number; NaN if one is NaN.
---@param x number
---@param ... number
---@return number
function muslin.max(x, ...) end

---The smallest number; NaN if one is NaN.
---@param x number
---@param ... number
---@return number
function muslin.min(x, ...) end

---x, limited to low..high.
---@param x number
---@param low number
---@param high number
---@return number
function muslin.clamp(x, low, high) end

---1 where x < y, else 0.
---@param x any
---@param y any
---@return number
function muslin.lt(x, y) end

---1 where x <= y, else 0.
---@param x any
---@param y any
---@return number
function muslin.le(x, y) end

---1 where x > y, else 0.
---@param x any
---@param y any
---@return number
function muslin.gt(x, y) end

---1 where x >= y, else 0.
---@param x any
---@param y any
---@return number
function muslin.ge(x, y) end

---1 where x == y, else 0; also of a contact's kind and a string, such as "edge_edge".
---@param x any
---@param y any
---@return number
function muslin.eq(x, y) end

---0 where x == y, else 1.
---@param x any
---@param y any
---@return number
function muslin.ne(x, y) end

---x where the condition is true, or a number that is not 0; else y.
---@param condition number | boolean
---@param x any
---@param y any
---@return any
function muslin.select(condition, x, y) end

---0 where x < edge, else 1.
---@param edge number
---@param x number
---@return number
function muslin.step(edge, x) end

---0 up to low, 1 from high on, 3 t^2 - 2 t^3 between.
---@param low number
---@param high number
---@param x number
---@return number
function muslin.smoothstep(low, high, x) end

---Smooth noise within -1..1: random numbers at the points with integer coordinates, interpolated between them; twice differentiable.
---@param place muslin.Vector
---@param seed? integer
---@return number
function muslin.noise(place, seed) end

---The largest integer that is not above x.
---@param x number
---@return number
function muslin.floor(x) end

---Absolute value.
---@param x number
---@return number
function muslin.abs(x) end

---Square root.
---@param x number
---@return number
function muslin.sqrt(x) end

---Sine (rad), with the same bits on every machine.
---@param x number
---@return number
function muslin.sin(x) end

---Cosine (rad), with the same bits on every machine.
---@param x number
---@return number
function muslin.cos(x) end

---Tangent (rad), with the same bits on every machine.
---@param x number
---@return number
function muslin.tan(x) end

---Arc sine, rad.
---@param x number
---@return number
function muslin.asin(x) end

---Arc cosine, rad.
---@param x number
---@return number
function muslin.acos(x) end

---Angle of (x, y), rad, -pi..pi.
---@param y number
---@param x number
---@return number
function muslin.atan2(y, x) end

---e to the x.
---@param x number
---@return number
function muslin.exp(x) end

---Natural logarithm.
---@param x number
---@return number
function muslin.log(x) end

---x to the y.
---@param x number
---@param y number
---@return number
function muslin.pow(x, y) end

-- ---- Scenarios and expectations --------------------------------------------------------------------------------------

---A check that raises where it fails; methods return the expectation, so they chain.
---@class muslin.Expectation
---@field never muslin.Expectation what follows is turned round
local Expectation = {}

---A check, in a scenario or a scene's `done` hook, where expect is a global too; a failed check raises an error with the actual and the expected value.
---@param value any
---@param label? string names the value in messages
---@return muslin.Expectation
function muslin.expect(value, label) end

---A stream of random numbers: stream(), stream(high) and stream(low, high) draw as math.random does.
---@class muslin.Stream
---@overload fun(low?: integer, high?: integer): number
local Stream = {}

---A number in [low, high); 0 and 1.
---@param low? number
---@param high? number
---@return number
function Stream:number(low, high) end

---A stream of random numbers of that name, the same object for every call: stream(), stream(high) and stream(low, high) return numbers as math.random does.
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

---A scenario for every case of a list, or, of lists by name, for every combination.
---@param cases any[] | table<string, any[]>
---@return fun(name: string, body: fun(case: any, ...))
function muslin.scenario.each(cases) end

---The scenarios of the file run one after the other, in one process.
function muslin.scenario.together() end

---f() is called before every scenario of the file, which gets the results of f (after the case of scenario.each and property).
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

---Whole numbers; nearer to zero is simpler.
---@param low integer
---@param high integer
---@return table generator
function muslin.property.integer(low, high) end

---Numbers of nine digits; nearer to zero, or shorter, is simpler.
---@param low number
---@param high number
---@return table generator
function muslin.property.number(low, high) end

---{x, y, z}, each from low to high, or from low[k] to high[k].
---@param low number | number[]
---@param high number | number[]
---@return table generator
function muslin.property.vector(low, high) end

---One of them; earlier ones are simpler.
---@param values any[]
---@return table generator
function muslin.property.choice(values) end

---Lists; shorter is simpler.
---@param item table a generator
---@param least integer
---@param most integer
---@return table generator
function muslin.property.list(item, least, most) end

---Scenes as plain tables: flat sheets above each other, over obstacles, which may overlap, and a floor.
---@param options? {cloths?: integer[], obstacles?: integer[], nodes?: integer[], speed?: number, materials?: string[], thickness?: number[]}
---@return table generator
function muslin.property.scene(options) end

---The world of such a table, with the options of muslin.world ({dt = 1/120}).
---@param scene table
---@param options? muslin.WorldOptions
---@return muslin.World
function muslin.property.world(scene, options) end

---Ends a scenario as skipped: neither passed nor failed.
---@param reason string
function muslin.skip(reason) end

---The parameters of a scene: `defaults` (numbers, strings or booleans, which set the types) overridden by the arguments NAME=VALUE after `--` on the command line.
---@generic T: table
---@param defaults T numbers, strings, booleans by name
---@param words? string[] NAME=VALUE; the global arg
---@return T
function muslin.arguments(defaults, words) end

---Equal to x; tables and arrays item by item.
---@param other any
---@return muslin.Expectation
function Expectation:equals(other) end

---The value true; all other values fail.
---@return muslin.Expectation
function Expectation:is_true() end

---The value false; nil fails.
---@return muslin.Expectation
function Expectation:is_false() end

---The value nil.
---@return muslin.Expectation
function Expectation:is_nil() end

---Its muslin.type: "number", "vec3", "cloth", ...
---@param kind string as by muslin.type
---@return muslin.Expectation
function Expectation:is_a(kind) end

---Within the tolerance of x: numbers by their difference, vectors by their distance, arrays and lists item by item.
---@param x number | muslin.Vector | muslin.Array | any[]
---@param tolerance? number
---@return muslin.Expectation
function Expectation:near(x, tolerance) end

---A number <= x.
---@param bound number
---@return muslin.Expectation
function Expectation:at_most(bound) end

---A number >= x.
---@param bound number
---@return muslin.Expectation
function Expectation:at_least(bound) end

---A number < x.
---@param bound number
---@return muslin.Expectation
function Expectation:less_than(bound) end

---A number > x.
---@param bound number
---@return muslin.Expectation
function Expectation:more_than(bound) end

---low <= the number <= high.
---@param low number
---@param high number
---@return muslin.Expectation
function Expectation:between(low, high) end

---A string that contains the text, not as a pattern, or a list with an equal item.
---@param what any
---@return muslin.Expectation
function Expectation:contains(what) end

---A string that contains a match of the Lua pattern.
---@param pattern string
---@return muslin.Expectation
function Expectation:matches(pattern) end

---Calls f(), which must raise an error; its message contains the text, or matches it as a Lua pattern.
---@param text? string contained in the message, or a Lua pattern
---@return muslin.Expectation
function Expectation:raises(text) end

---No NaN and no infinity: in a number, vector or array, or in positions and velocities of a cloth or of all cloths of a world.
---@return muslin.Expectation
function Expectation:finite() end

---No faces of the world intersect now, and no feature is deeper inside an obstacle than the tolerance, m (1e-4).
---@param tolerance? number m that a place may be inside an obstacle; 1e-4
---@return muslin.Expectation
function Expectation:penetration_free(tolerance) end

---No vertex is faster than 0.01 m/s, or the speed.
---@param tolerance? number m/s; 0.01
---@return muslin.Expectation
function Expectation:at_rest(tolerance) end

---No edge is stretched by more: 0.1 is 10 %.
---@param strain number 0.1 is 10 %
---@return muslin.Expectation
function Expectation:stretched_at_most(strain) end

---Above a plane or a height (m), by all but the tolerance (m, 1e-4), or outside of another obstacle.
---@param floor muslin.Obstacle | number
---@param tolerance? number m; 1e-4
---@return muslin.Expectation
function Expectation:above(floor, tolerance) end

---Equal to the state in golden/FILE.NAME.txt beside the test, to the bit, or every vertex within the tolerance, m. muslin test --update-golden writes that file.
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
