/* usd_seed.h: a layer with what the reader of .usda files knows, for the tests and the fuzzer. */
#ifndef MUS_TESTS_USD_SEED_H
#define MUS_TESTS_USD_SEED_H

/* In centimeters, z up. The sheet: two quads of 10 cm, left-handed, moved by (0, 0, 50) after a turn of 90 degrees
 * about z; as triangles at rest twice as long along x. */
static const char usd_seed[] =
    "#usda 1.0\n(\n    \"\"\"a comment of\n two lines\"\"\"\n    defaultPrim = \"World\"\n    metersPerUnit = 0.01\n"
    "    upAxis = \"Z\"\n    customLayerData = { string tool = \"x\" int[] list = [1, 2] dictionary d = { int a = 1 } "
    "asset[] c = [@a.usd@, @@@b@c.usd@@@] "
    "}\n)\n"
    "# a comment\n"
    "def Xform \"World\" (kind = \"group\")\n{\n"
    "    double3 xformOp:translate = (0, 0, 50)\n    float3 xformOp:rotateXYZ = (0, 0, 90)\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateXYZ\"]\n"
    "    def Mesh \"sheet\" (\n        prepend apiSchemas = [\"PhysicsSurfaceDeformableSimAPI\", "
    "\"MaterialBindingAPI\"]\n    )\n"
    "    {\n        int[] faceVertexCounts = [3, 3, 3, 3]\n"
    "        int[] faceVertexIndices = [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4]\n"
    "        uniform token orientation = \"leftHanded\"\n"
    "        point3f[] points.timeSamples = {\n            0: [(0, 0, 0), (10, 0, 0), (20, 0, 0), (0, 10, 0), (10, 10, "
    "0), "
    "(20, 10, 0)],\n            1: [(0, 0, 0)],\n        }\n"
    "        texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = \"faceVarying\")\n"
    "        int[] primvars:st:indices = [0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3]\n"
    "        point3f[] physics:restShapePoints = [(0, 0, 0), (20, 0, 0), (40, 0, 0), (0, 10, 0), (20, 10, 0), "
    "(40, 10, 0)]\n"
    "        int3[] physics:restTriVtxIndices = [(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4)]\n"
    "        int2[] physics:restAdjTriPairs = [(0, 3)]\n        float[] physics:restBendAngles = [30]\n"
    "        uniform token subsetFamily:panels:familyType = \"partition\"\n"
    "        rel material:binding:physics = </World/felt>\n"
    "        def GeomSubset \"left\" { uniform token elementType = \"face\" int[] indices = [0, 1] }\n"
    "        def GeomSubset \"right\" { uniform token elementType = \"face\" int[] indices = [2, 3] }\n    }\n"
    "    def Material \"felt\" (prepend apiSchemas = [\"PhysicsSurfaceDeformableMaterialAPI\"]) {\n"
    "        float physics:surfaceThickness = 0.1\n        float physics:density = 0.0002\n"
    "        float physics:youngsModulus = 10000\n        float physics:poissonsRatio = 0\n"
    "        float physics:dynamicFriction = 0.4\n        asset picture = @./a.png@\n"
    "        token outputs:surface.connect = </World/felt/s.outputs:surface>\n    }\n"
    "    def Scope \"solids\" (prepend apiSchemas = [\"PhysicsCollisionAPI\"]) {\n"
    "        def Mesh \"block\" {\n            int[] faceVertexCounts = [4]\n"
    "            int[] faceVertexIndices = [0, 1, 2, 3]\n"
    "            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\n"
    "            double3 xformOp:scale = (2, 2, 2)\n            quatf xformOp:orient = (0, 0, 0, 1)\n"
    "            double3 xformOp:translate:pivot = (1, 0, 0)\n"
    "            uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:translate:pivot\", "
    "\"xformOp:scale\", "
    "\"xformOp:orient\", \"!invert!xformOp:translate:pivot\"]\n        }\n    }\n"
    "    def PhysicsAttachment \"seam\" {\n        rel physics:src0 = </World/sheet>\n        rel physics:src1 = "
    "</World/sheet>\n        token physics:type0 = \"point\"\n        int[] physics:indices0 = [0, 3]\n"
    "        int[] physics:indices1 = [2, 5]\n        float physics:stiffness = 7\n    }\n"
    "    class \"prototype\" { def Mesh \"unseen\" { } }\n    def Mesh \"off\" (active = false) { }\n}\n";

#endif
