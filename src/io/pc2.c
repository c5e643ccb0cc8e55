/* pc2.c: PC2 point caches: a 32-byte header, then frames of float32 positions, little endian. */
#include "base/word.h"

#include "base/memory.h"
#include "io/soup.h"
#include "io/vertex_sequence.h"

#include <math.h>
#include <string.h>

static const char magic[12] = "POINTCACHE2"; /* including its zero byte */
enum { HEADER = 32 };                        /* magic, version 1, points, start, rate, frames: 4 bytes each */

static float real(const char *bytes) {
    uint32_t bits = mus_read_le32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

mus_status mus_pc2_read(const mus_file *file, mus_point_cache *cache) {
    if (file->size < HEADER || memcmp(file->data, magic, sizeof magic) != 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not a PC2 file (it must begin with 'POINTCACHE2' and 20 bytes more)",
                        file->path);
    int32_t version = (int32_t)mus_read_le32(file->data + 12), vertices = (int32_t)mus_read_le32(file->data + 16),
            frames = (int32_t)mus_read_le32(file->data + 28);
    if (version != 1)
        return mus_fail(MUS_STATUS_FORMAT, "%s: byte 13: the version must be 1 (got %d)", file->path, version);
    if (vertices < 1 || frames < 1)
        return mus_fail(MUS_STATUS_FORMAT, "%s: must hold at least one vertex and one frame (got %d and %d)",
                        file->path, vertices, frames);
    /* Below 2^62 x 12; the file's size bounds both counts before anything is allocated. */
    int64_t points = (int64_t)vertices * frames, data_bytes = file->size - HEADER;
    if (data_bytes % 12 != 0 || data_bytes / 12 != points)
        return mus_fail(MUS_STATUS_FORMAT,
                        "%s: the header promises %d frames of %d vertices, 12 bytes each, but %lld bytes follow; the "
                        "file is truncated or not a PC2 file",
                        file->path, frames, vertices, (long long)data_bytes);
    float start = real(file->data + 20), rate = real(file->data + 24);
    if (!isfinite(start) || !isfinite(rate))
        return mus_fail(MUS_STATUS_FORMAT, "%s: byte 21: start frame and sample rate must be finite (got %s and %s)",
                        file->path, mus_word_of_number((double)start).text, mus_word_of_number((double)rate).text);
    mus_sequence_layout layout = {.frames = frames, .vertices = vertices, .offset = HEADER, .size = 4};
    mus_status status = mus_sequence_read(file, &layout, cache);
    if (status != MUS_STATUS_OK) return status;
    cache->start_frame = start;
    cache->sample_rate = rate;
    return MUS_STATUS_OK;
}

static void write_real(mus_writer *w, double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    mus_writer_le32(w, bits);
}

static mus_status check(const char *path, const mus_point_cache *cache) {
    if (cache->vertex_count < 1 || cache->frame_count < 1 || !cache->positions)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: a point cache must hold at least one vertex and one frame (got %d and %d%s)", path,
                        cache->vertex_count, cache->frame_count, cache->positions ? "" : ", no positions");
    int64_t numbers = (int64_t)cache->vertex_count * cache->frame_count * 3;
    for (int64_t k = 0; k < numbers; k++)
        if (!isfinite((float)cache->positions[k]))
            return mus_fail(MUS_STATUS_INVALID,
                            "%s: vertex %lld of frame %lld must be finite and within float32 (got %s)", path,
                            (long long)(k / 3 % cache->vertex_count) + 1, (long long)(k / 3 / cache->vertex_count) + 1,
                            mus_word_of_number(cache->positions[k]).text);
    if (!isfinite((float)cache->start_frame) || !isfinite((float)cache->sample_rate))
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: fields 'start_frame' and 'sample_rate' must be finite and within float32 (got %s and %s)",
                        path, mus_word_of_number(cache->start_frame).text, mus_word_of_number(cache->sample_rate).text);
    return MUS_STATUS_OK;
}

mus_status mus_point_cache_save(const mus_point_cache *cache, const char *path) {
    mus_writer w;
    mus_status status = check(path, cache);
    if (status == MUS_STATUS_OK) status = mus_writer_open(&w, path);
    if (status != MUS_STATUS_OK) return status;
    mus_writer_bytes(&w, magic, sizeof magic);
    mus_writer_le32(&w, 1);
    mus_writer_le32(&w, (uint32_t)cache->vertex_count);
    write_real(&w, cache->start_frame);
    write_real(&w, cache->sample_rate);
    mus_writer_le32(&w, (uint32_t)cache->frame_count);
    int64_t numbers = (int64_t)cache->vertex_count * cache->frame_count * 3;
    for (int64_t k = 0; k < numbers; k++) write_real(&w, cache->positions[k]);
    return mus_writer_close(&w, MUS_STATUS_OK);
}
