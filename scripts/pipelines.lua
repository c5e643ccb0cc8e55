-- pipelines.lua: presets of collision pipelines: one stage of each kind, by name, and what the choice is good for.
-- `muslin.world { pipeline = "robust" }`, or with changes: `pipeline = { preset = "robust", broad = "brute" }`.
return {
  robust = {
    doc = "The default: large implicit steps, repulsion to the thickness, certified continuous detection, "
      .. "rigid zones as the last resort. Nothing passes through.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "bridson",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  lively = {
    doc = "Robust, but with symplectic Euler in as many sub-steps as stability asks for: no artificial damping, "
      .. "slow on stiff cloth.",
    integrator = "semi_implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "bridson",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  exhaustive = {
    doc = "Robust, but every pair of faces is tested: the oracle for small scenes..",
    integrator = "implicit_euler",
    broad = "brute",
    narrow = "certified_ccd",
    response = "bridson",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  impulses = {
    doc = "Inelastic impulses and friction at hits only, without repulsion: what happens when cloth has no cushion.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "impulses",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  offset = {
    doc = "A step as the minimum of one energy: cloth, contacts by distance and friction solved together, every move cut "
      .. "short where it would meet something. Livelier than robust at the same dt, slower; no strain limit; "
      .. "energies of contact (muslin.potential) in the place of rules. Cloths that touch only each other keep their "
      .. "momentum to rounding, but where moves had to be cut: each vertex is, alone.",
    integrator = "incremental",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "ogc",
    failsafe = "truncation",
    strain = "none",
    internal = "material",
  },
  newton = {
    doc = "Offset, with the minimum sought until it is found: the reference that quicker solvers are measured by. Slow.",
    integrator = "newton",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "ogc",
    failsafe = "truncation",
    strain = "none",
    internal = "material",
  },
  vbd = {
    doc = "Offset, with the minimum sought by vertex block descent.",
    integrator = "vbd",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "ogc",
    failsafe = "truncation",
    strain = "none",
    internal = "material",
  },
  provot = {
    doc = "Provot 1997 as published: the coplanarity cubic, one round in which each vertex is answered by itself, then zones "
      .. "that move rigidly. Without a guarantee: the cubic may miss, normal cones rule out regions that may meet, "
      .. "friction does not conserve momentum, and crumpled cloth goes rigid as a whole.",
    integrator = "semi_implicit_euler",
    broad = "partition_tree_cones",
    narrow = "cubic_ccd",
    response = "provot",
    failsafe = "provot_zones",
    strain = "sweep",
    internal = "material",
  },
  bridson = {
    doc = "Bridson, Fedkiw & Anderson 2002 made sound: repulsion and friction of what is near, inelastic impulses, the "
      .. "strain limit and seams in turn with both, certified detection with the last word, rigid zones. Nothing passes "
      .. "through. Repulsions are gone over sixteen times a step: stacks of sheets of 1 mm lie 0.99 mm apart with steps of "
      .. "1/240 s; of four with steps of 1/120 s the lowest two keep 0.88.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "bridson_tested",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  bridson_source = {
    doc = "The same as published: the coplanarity cubic, few rounds, and the strain limit after all collisions, where it may "
      .. "cross again. Without a guarantee. Repulsions are gone over once, and restore a tenth of what is missing in a step: of "
      .. "two sheets of 1 mm on a floor the upper one sinks into the lower with steps of 1/240 s.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "cubic_ccd",
    response = "bridson_source",
    failsafe = "zones",
    strain = "bridson",
    internal = "material",
  },
  bigliani = {
    doc = "Bigliani & Eischen as published: edges against planes, the vertex takes all and goes back to where it was. Without a "
      .. "guarantee: the grid loses what meets with no two nodes in one cell, and vertices that keep colliding get locked in place.",
    integrator = "rk4",
    broad = "hash_grid_source",
    narrow = "edge_plane",
    response = "bigliani",
    failsafe = "none",
    strain = "none",
    internal = "material",
  },
  jung = {
    doc = "Jung 2005 as published: spherical implicit surfaces, penalty then geometry, a thickness apart. Without a guarantee: "
      .. "what passes through within one step is not seen.",
    integrator = "implicit_euler",
    broad = "quad_tree",
    narrow = "spherical",
    response = "jung",
    failsafe = "none",
    strain = "jung",
    internal = "choi_ko",
  },
  aabb = {
    doc = "The box hierarchy for cloth against solids as published: a ray for each vertex, put out to the thickness. Cloth passes "
      .. "through cloth, and edges are not asked about.",
    integrator = "verlet",
    broad = "octree",
    narrow = "segment_triangle",
    response = "aabb",
    failsafe = "none",
    strain = "sweep",
    internal = "mass_spring",
  },
}
