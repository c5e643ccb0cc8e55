-- pipelines.lua: presets of collision pipelines: one stage of each kind, by name, and what the choice is good for.
-- `muslin.world { pipeline = "robust" }`, or with changes: `pipeline = { preset = "robust", broad = "brute" }`.
return {
  robust = {
    doc = "The default: large implicit steps in which stiffness, contacts, Coulomb friction, strain limits and rigid bodies are one "
      .. "problem, so that an impact adds no energy and taut cloth has the strain of its stiffness; certified continuous "
      .. "detection, rigid impact zones as the fail-safe. Guaranteed free of intersections.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "coupled",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  lively = {
    doc = "Robust with an integrator of second order: what swings hardly loses any energy to the time step. A step that begins with "
      .. "an impact is one of implicit Euler, as under robust.",
    integrator = "generalized_alpha",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "coupled",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  sequential = {
    doc = "Dynamics first, then contacts by impulses: repulsion to the thickness and Coulomb friction in sweeps, the strain limit in "
      .. "turn with them. Faster than robust, with the same guarantee, but an impact compresses coarse cloth, which adds energy "
      .. "for some frames, and taut cloth is stretched too far.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "bridson",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  exhaustive = {
    doc = "Robust with all pairs of faces tested: the reference for small scenes.",
    integrator = "implicit_euler",
    broad = "brute",
    narrow = "certified_ccd",
    response = "coupled",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  impulses = {
    doc = "Inelastic impulses and friction at hits only, without repulsion at proximity.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "impulses",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  offset = {
    doc = "A step as the minimum of one incremental potential: cloth, contact energies and lagged friction solved together, every "
      .. "displacement truncated before a collision. Less numerical damping than robust at the same dt, slower; no strain limit; "
      .. "contact energies (muslin.potential) in place of rules. Cloths in contact only with each other conserve momentum to "
      .. "rounding, except where displacements were truncated, which applies to each vertex by itself.",
    integrator = "incremental",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "ogc",
    failsafe = "truncation",
    strain = "none",
    internal = "material",
  },
  newton = {
    doc = "Offset with the minimum found to convergence: the reference for faster solvers. Slow.",
    integrator = "newton",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "ogc",
    failsafe = "truncation",
    strain = "none",
    internal = "material",
  },
  vbd = {
    doc = "Offset with vertex block descent as the minimizer.",
    integrator = "vbd",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "ogc",
    failsafe = "truncation",
    strain = "none",
    internal = "material",
  },
  provot = {
    doc = "Provot 1997 as published: the coplanarity cubic, one round of responses per vertex, then rigid impact "
      .. "zones. Without a guarantee: the cubic may miss collisions, normal cones exclude regions that may collide, "
      .. "friction does not conserve momentum, and crumpled cloth becomes rigid as a whole.",
    integrator = "semi_implicit_euler",
    broad = "partition_tree_cones",
    narrow = "cubic_ccd",
    response = "provot",
    failsafe = "provot_zones",
    strain = "sweep",
    internal = "material",
    collision_step = "stable",
  },
  bridson = {
    doc = "Bridson, Fedkiw & Anderson 2002 with a guarantee: repulsion and friction of near pairs, inelastic impulses, the "
      .. "strain limit and seams alternating with both, certified detection last, rigid impact zones. Free of "
      .. "intersections. Repulsions have sixteen sweeps per step: stacks of sheets of 1 mm are 0.99 mm apart with steps of "
      .. "1/240 s; of four sheets with steps of 1/120 s the lowest two are 0.88 mm apart.",
    integrator = "implicit_euler",
    broad = "box_tree",
    narrow = "certified_ccd",
    response = "bridson_tested",
    failsafe = "zones",
    strain = "sweep",
    internal = "material",
  },
  bridson_source = {
    doc = "The same as published: position-based cloth, the coplanarity cubic, few rounds, and the strain limit after all collisions, "
      .. "which may cause intersections. Without a guarantee. Repulsions have one sweep, and restore a tenth of the missing "
      .. "distance per step: of two sheets of 1 mm on a floor the upper one sinks into the lower with steps of 1/240 s. "
      .. "Membranes (stvk, neo_hookean, measured) need another integrator.",
    integrator = "position_based",
    broad = "box_tree",
    narrow = "cubic_ccd",
    response = "bridson_source",
    failsafe = "zones",
    strain = "bridson",
    internal = "material",
    collision_step = 1e-3,
  },
  bigliani = {
    doc = "Bigliani & Eischen as published: edges against planes, only the vertex is moved, back to its start position. Without a "
      .. "guarantee: the grid misses collisions without two nodes in one cell, and vertices that keep colliding are locked in place.",
    integrator = "rk4",
    broad = "hash_grid_source",
    narrow = "edge_plane",
    response = "bigliani",
    failsafe = "none",
    strain = "none",
    internal = "material",
    collision_step = "stable",
  },
  jung = {
    doc = "Jung 2005 as published: symplectic Euler, spherical implicit surfaces, penalty forces, then geometric correction to a "
      .. "distance of one thickness; the source's is the radius of a face's spheres, about half an edge of a square grid, at which "
      .. "faces are tested whole. Without a guarantee: misses cloth that passes through within one step, and cloth that its "
      .. "quad-tree does not test with itself for its curvature.",
    integrator = "semi_implicit_euler",
    broad = "quad_tree_cones",
    narrow = "spherical",
    response = "jung",
    failsafe = "none",
    strain = "jung",
    internal = "choi_ko",
    collision_step = "stable",
  },
  aabb = {
    doc = "The box hierarchy for cloth against solids as published: one ray per vertex, which is moved out to the thickness. Cloth "
      .. "does not collide with cloth, and edges are not tested.",
    integrator = "verlet",
    broad = "octree_source",
    narrow = "segment_triangle",
    response = "aabb",
    failsafe = "none",
    strain = "sweep",
    internal = "mass_spring",
    collision_step = "stable",
  },
}
