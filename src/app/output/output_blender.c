/* output_blender.c: a script that builds a run's scene in Blender (meshes, point caches, materials, camera, frame
 * rate), and the OBJ file with the meshes that it needs. The script works in Blender 2.93 and later. */
#include "host.h"
#include "cli/json.h"

#include <stdlib.h>

static const char introduction[] = "# Builds the scene of a muslin run in Blender:\n"
                                   "#     blender --python open_in_blender.py\n"
                                   "# or open this file in Blender's text editor and run it. It reads "
                                   "open_in_blender.obj and the point caches beside\n"
                                   "# it. Vertices have exactly the coordinates of the caches (y up, in meters); the "
                                   "empty object 'muslin', parent of\n"
                                   "# all, turns them so that z is up.\n"
                                   "import json\n"
                                   "import math\n"
                                   "import os\n"
                                   "\n"
                                   "import bpy\n"
                                   "from mathutils import Vector\n"
                                   "\n"
                                   "RUN = json.loads(r\"\"\"\n";

static const char program[] =
    "\"\"\")\n"
    "\n"
    "\n"
    "def find_folder():\n"
    "    if os.path.isfile(__file__):\n"
    "        return os.path.dirname(os.path.abspath(__file__))\n"
    "    for text in bpy.data.texts:  # run from the text editor\n"
    "        if text.name.startswith(\"open_in_blender\"):\n"
    "            return os.path.dirname(bpy.path.abspath(text.filepath))\n"
    "    raise RuntimeError(\"open this file from the folder of the run\")\n"
    "\n"
    "\n"
    "def read_meshes(path):\n"
    "    parts, first, uvs = [], 0, []\n"
    "    for line in open(path, encoding=\"utf-8\", errors=\"surrogateescape\"):\n"
    "        word = line.split()\n"
    "        if line.startswith(\"o \"):\n"
    "            first += len(parts[-1][\"vertices\"]) if parts else 0\n"
    "            parts.append({\"vertices\": [], \"faces\": [], \"uvs\": []})\n"
    "        elif line.startswith(\"v \"):\n"
    "            parts[-1][\"vertices\"].append([float(x) for x in word[1:4]])\n"
    "        elif line.startswith(\"vt \"):\n"
    "            uvs.append([float(x) for x in word[1:3]])\n"
    "        elif line.startswith(\"f \"):\n"
    "            corners = [corner.split(\"/\") for corner in word[1:4]]\n"
    "            parts[-1][\"faces\"].append([int(c[0]) - 1 - first for c in corners])\n"
    "            parts[-1][\"uvs\"].extend(uvs[int(c[1]) - 1] for c in corners if len(c) > 1 and c[1])\n"
    "    return parts\n"
    "\n"
    "\n"
    "def add_picture(tree, part, folder):\n"
    "    left, low, width, height = part[\"place\"]\n"
    "    image = tree.nodes.new(\"ShaderNodeTexImage\")\n"
    "    image.image = bpy.data.images.load(os.path.join(folder, part[\"picture\"]), check_existing=True)\n"
    "    place = tree.nodes.new(\"ShaderNodeMapping\")\n"
    "    place.inputs[\"Location\"].default_value = (-left / width, -low / height, 0)\n"
    "    place.inputs[\"Scale\"].default_value = (1 / width, 1 / height, 1)\n"
    "    uv = tree.nodes.new(\"ShaderNodeUVMap\")\n"
    "    uv.uv_map = \"uv\"\n"
    "    for number, node in enumerate((image, place, uv)):\n"
    "        node.location = (-300 - 250 * number, 300)\n"
    "    tree.links.new(uv.outputs[\"UV\"], place.inputs[\"Vector\"])\n"
    "    tree.links.new(place.outputs[\"Vector\"], image.inputs[\"Vector\"])\n"
    "    tree.links.new(image.outputs[\"Color\"], tree.nodes[\"Principled BSDF\"].inputs[\"Base Color\"])\n"
    "\n"
    "\n"
    "def add_material(part, folder):\n"
    "    color = part[\"color\"]\n"
    "    material = bpy.data.materials.new(part[\"name\"])\n"
    "    material.use_nodes = True\n"
    "    material.diffuse_color = color + [1]\n"
    "    shader = material.node_tree.nodes[\"Principled BSDF\"]\n"
    "    shader.inputs[\"Base Color\"].default_value = color + [1]\n"
    "    shader.inputs[\"Roughness\"].default_value = 0.9\n"
    "    if part[\"picture\"]:\n"
    "        add_picture(material.node_tree, part, folder)\n"
    "    return material\n"
    "\n"
    "\n"
    "def hide(item, hidden, frame):\n"
    "    item.hide_viewport = item.hide_render = hidden\n"
    "    for path in (\"hide_viewport\", \"hide_render\"):\n"
    "        item.keyframe_insert(path, frame=frame)\n"
    "\n"
    "\n"
    "def add_part(part, shape, folder, root):\n"
    "    mesh = bpy.data.meshes.new(part[\"name\"])\n"
    "    mesh.from_pydata(shape[\"vertices\"], [], shape[\"faces\"])\n"
    "    if shape[\"uvs\"]:\n"
    "        layer = mesh.uv_layers.new(name=\"uv\")\n"
    "        layer.data.foreach_set(\"uv\", [x for uv in shape[\"uvs\"] for x in uv])\n"
    "    mesh.polygons.foreach_set(\"use_smooth\", [True] * len(mesh.polygons))\n"
    "    if hasattr(mesh, \"use_auto_smooth\"):  # keeps the edges of boxes; before Blender 4.1\n"
    "        mesh.use_auto_smooth = True\n"
    "        mesh.auto_smooth_angle = math.radians(60)\n"
    "    mesh.materials.append(add_material(part, folder))\n"
    "    item = bpy.data.objects.new(part[\"name\"], mesh)\n"
    "    item.parent = root\n"
    "    bpy.context.scene.collection.objects.link(item)\n"
    "    cache = item.modifiers.new(\"motion\", \"MESH_CACHE\")\n"
    "    cache.cache_format = \"PC2\"\n"
    "    cache.filepath = os.path.join(folder, part[\"cache\"])\n"
    "    cache.frame_start = part[\"first\"]\n"
    "    cache.interpolation = \"LINEAR\"\n"
    "    end = part[\"first\"] + part[\"frames\"]\n"
    "    if part[\"first\"] > 0:\n"
    "        hide(item, True, 0)\n"
    "        hide(item, False, part[\"first\"])\n"
    "    if end < RUN[\"frames\"]:\n"
    "        hide(item, False, part[\"first\"])\n"
    "        hide(item, True, end)\n"
    "    return item\n"
    "\n"
    "\n"
    "def add_camera(root):\n"
    "    data = bpy.data.cameras.new(\"camera\")\n"
    "    data.sensor_fit = \"VERTICAL\"\n"
    "    data.clip_start = 0.001\n"
    "    camera = bpy.data.objects.new(\"camera\", data)\n"
    "    bpy.context.scene.collection.objects.link(camera)\n"
    "    bpy.context.scene.camera = camera\n"
    "    camera.rotation_mode = \"QUATERNION\"\n"
    "    for key in RUN[\"camera\"]:\n"
    "        eye, target = (Vector((p[0], -p[2], p[1])) for p in (key[\"eye\"], key[\"target\"]))\n"
    "        camera.location = eye\n"
    "        camera.rotation_quaternion = (target - eye).to_track_quat(\"-Z\", \"Y\")\n"
    "        data.angle = key[\"fov\"]\n"
    "        if len(RUN[\"camera\"]) > 1:\n"
    "            camera.keyframe_insert(\"location\", frame=key[\"frame\"])\n"
    "            camera.keyframe_insert(\"rotation_quaternion\", frame=key[\"frame\"])\n"
    "            data.keyframe_insert(\"lens\", frame=key[\"frame\"])\n"
    "\n"
    "\n"
    "def build():\n"
    "    folder = find_folder()\n"
    "    for item in list(bpy.data.objects):  # of the start-up file\n"
    "        if item.name in (\"Cube\", \"Light\", \"Camera\"):\n"
    "            bpy.data.objects.remove(item, do_unlink=True)\n"
    "    scene = bpy.context.scene\n"
    "    scene.render.fps = max(1, round(RUN[\"fps\"]))\n"
    "    scene.render.fps_base = scene.render.fps / RUN[\"fps\"]\n"
    "    scene.frame_start, scene.frame_end = 0, RUN[\"frames\"] - 1\n"
    "    root = bpy.data.objects.new(\"muslin\", None)\n"
    "    root.rotation_euler = (math.pi / 2, 0, 0)\n"
    "    scene.collection.objects.link(root)\n"
    "    for part, shape in zip(RUN[\"parts\"], read_meshes(os.path.join(folder, \"open_in_blender.obj\"))):\n"
    "        add_part(part, shape, folder, root)\n"
    "    add_camera(root)\n"
    "    sun = bpy.data.objects.new(\"sun\", bpy.data.lights.new(\"sun\", \"SUN\"))\n"
    "    sun.data.energy = 3\n"
    "    sun.data.angle = 0.1\n"
    "    sun.rotation_euler = (0.7, 0.1, 0.6)\n"
    "    scene.collection.objects.link(sun)\n"
    "    scene.frame_set(0)\n"
    "\n"
    "\n"
    "build()\n";

static json_t *numbers(const float *list, int count) {
    json_t *array = json_array();
    for (int k = 0; k < count; k++) json_array_append_new(array, json_real((double)list[k]));
    return array;
}

static json_t *describe_parts(const mus_parts_animation *a, const char *const *caches) {
    json_t *list = json_array();
    for (int32_t k = 0; k < a->part_count; k++) {
        const mus_part *part = &a->parts[k];
        const char *slash = strrchr(caches[k], '/');
        json_t *color = json_array();
        for (int i = 0; i < 3; i++) json_array_append_new(color, json_real(app_linear_color((double)part->color[i])));
        json_t *place = json_array();
        for (int i = 0; i < 4; i++) json_array_append_new(place, json_real(part->picture_place[i]));
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "name", app_json_text(part->name), "cache",
                            app_json_text(slash ? slash + 1 : caches[k]), "color", color, "picture",
                            part->picture ? app_json_text(part->picture_file) : json_false(), "place", place, "first",
                            (json_int_t)a->frames[k].first_frame, "frames", (json_int_t)a->frames[k].frame_count));
    }
    return list;
}

static json_t *describe_cameras(const app_camera_keys *keys) {
    json_t *list = json_array();
    for (int64_t k = 0; k < keys->count; k++) {
        const app_camera_key *key = &keys->keys[k];
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:f}", "frame", (json_int_t)key->frame, "eye",
                                              numbers(key->eye, 3), "target", numbers(key->target, 3), "fov",
                                              (double)key->fov));
    }
    return list;
}

static mus_status write_script(const char *path, const mus_parts_animation *a, const char *const *caches,
                               const app_camera_keys *keys) {
    json_t *run = json_pack("{s:f, s:I, s:o, s:o}", "fps", a->fps, "frames", (json_int_t)a->frame_count, "parts",
                            describe_parts(a, caches), "camera", describe_cameras(keys));
    char *data = run ? json_dumps(run, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9)) : NULL;
    char *text = data ? app_format("%s%s%s", introduction, data, program) : NULL;
    mus_status status = text ? app_write_file(path, text, strlen(text))
                             : mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the file", path);
    json_decref(run);
    free(data);
    free(text);
    return status;
}

/* Every part as it is in its first frame. */
static mus_status write_meshes(const char *path, const mus_parts_animation *a) {
    mus_status status = MUS_STATUS_OK;
    mus_part *parts = calloc((size_t)a->part_count + 1, sizeof *parts);
    for (int32_t k = 0; parts && k < a->part_count && status == MUS_STATUS_OK; k++) {
        size_t count = 3 * (size_t)a->parts[k].vertex_count;
        float *floats = malloc((count + 1) * sizeof *floats);
        double *vertices = malloc((count + 1) * sizeof *vertices);
        parts[k] = a->parts[k];
        parts[k].vertices = vertices;
        status = floats && vertices ? a->read(a->user, k, a->frames[k].first_frame, floats) : MUS_STATUS_NO_MEMORY;
        for (size_t i = 0; i < count && status == MUS_STATUS_OK; i++) vertices[i] = (double)floats[i];
        free(floats);
    }
    if (!parts || status == MUS_STATUS_NO_MEMORY)
        status = mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for the meshes", path);
    if (status == MUS_STATUS_OK) status = mus_parts_save(parts, a->part_count, path);
    for (int32_t k = 0; parts && k < a->part_count; k++) free((double *)parts[k].vertices); /* made here */
    free(parts);
    return status;
}

mus_status app_blender_save(const char *folder, const mus_parts_animation *animation, const char *const *caches,
                            const app_camera_keys *keys) {
    char *script = app_format("%s/open_in_blender.py", folder), *meshes = app_format("%s/open_in_blender.obj", folder);
    mus_status status = script && meshes ? write_meshes(meshes, animation)
                                         : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the names of files");
    if (status == MUS_STATUS_OK) status = write_script(script, animation, caches, keys);
    free(script);
    free(meshes);
    return status;
}
