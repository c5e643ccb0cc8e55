/* fabric.c: ten fabrics as measured by Wang, O'Brien & Ramamoorthi 2011, "Data-driven elastic models for cloth:
 * modeling and measurement", ACM Transactions on Graphics 30 (4), and their stiffness at a state. */
#include "model/fabric.h"
#include "muslin/math.h"

/* name, density; stretch; bending: see mus_fabric. */
static const mus_fabric fabrics[] = {
    {"11oz-black-denim",
     0.324,
     {{205.352005, 10.234077, 1013.88629, 53.387184},
      {232.027634, 40.646339, 1052.84289, 64.980499},
      {224.592209, 40.384563, 1054.43444, 67.184807},
      {225.95105, 62.095657, 1059.59741, 83.99202},
      {226.039566, 40.502792, 1058.27771, 75.118423},
      {225.767487, 40.917892, 1051.55712, 71.810631}},
     {{64.196457e-6, 60.286175e-6, 60.943428e-6, 62.433697e-6, 19.824701e-6},
      {73.384567e-6, 59.671982e-6, 61.080757e-6, 68.242569e-6, 36.033474e-6},
      {96.951576e-6, 107.848228e-6, 113.060738e-6, 120.56974e-6, 79.781021e-6}}},
    {"camel-ponte-roma",
     0.284,
     {{31.146198, -12.802702, 44.028667, 31.896357},
      {78.707756, 26.754574, 268.680725, 27.743423},
      {67.368431, 77.767944, 182.273407, -14.661531},
      {113.367035, 54.802021, 175.126572, 44.65733},
      {144.29483, 111.404854, 138.42215, -29.861851},
      {143.933365, 49.654823, 191.777588, 39.491055}},
     {{36.348366e-6, 49.585537e-6, 45.74408e-6, 47.413387e-6, 20.726685e-6},
      {33.013252e-6, 29.744385e-6, 35.103642e-6, 34.041019e-6, 14.439938e-6},
      {37.157593e-6, 34.107452e-6, 33.229435e-6, 34.685535e-6, 10.439938e-6}}},
    {"gray-interlock",
     0.187,
     {{16.593832, -14.69599, 34.477123, 36.860302},
      {46.364765, 53.694656, 261.013855, -29.691301},
      {49.28511, 87.5961, 206.373993, 22.768457},
      {123.98922, 105.18177, 365.966217, 44.217571},
      {139.686325, 73.59256, 413.553162, -174.43853},
      {127.44381, 85.848587, 405.872833, 32.238411}},
     {{23.191698e-6, 32.932217e-6, 34.406498e-6, 39.01442e-6, 23.382786e-6},
      {24.749964e-6, 18.651314e-6, 16.370552e-6, 25.095791e-6, 8.860165e-6},
      {14.267624e-6, 7.052906e-6, 14.515154e-6, 24.665127e-6, 19.383726e-6}}},
    {"ivory-rib-knit",
     0.276,
     {{42.871021, -0.234556, 65.166023, 83.175644},
      {52.422512, 7.219094, 245.337158, -31.129513},
      {29.482058, -5.146112, 127.130753, 13.068157},
      {91.209549, 4.940307, 109.746452, 27.60943},
      {48.973385, -0.967226, 147.696823, -49.282963},
      {105.649139, 0.416488, 254.593491, 3.472504}},
     {{46.237591e-6, 63.086697e-6, 83.192772e-6, 97.574425e-6, 80.726685e-6},
      {30.01593e-6, 30.097424e-6, 30.172081e-6, 30.6483e-6, 24.726685e-6},
      {32.243889e-6, 37.341282e-6, 38.817448e-6, 39.812527e-6, 30.43782e-6}}},
    {"navy-sparkle-sweat",
     0.224,
     {{12.486332, -19.875324, 3.272434, 17.616289},
      {32.172089, 56.01276, 283.46637, -2.438436},
      {48.565407, 94.126335, 180.101227, 4.43908},
      {77.093796, 2.958664, 91.25116, 6.1077},
      {126.205986, 84.471718, 305.131531, 38.495132},
      {92.34317, 117.527084, 243.264908, 47.338436}},
     {{59.469658e-6, 37.500004e-6, 35.787308e-6, 35.737106e-6, 21.033506e-6},
      {40.072277e-6, 37.446949e-6, 35.206612e-6, 24.871773e-6, 9.033506e-6},
      {45.625023e-6, 39.520981e-6, 30.734119e-6, 23.301662e-6, 13.033506e-6}}},
    {"pink-ribbon-brown",
     0.228,
     {{151.503906, 106.02816, 244.830673, 30.250183},
      {164.124344, 33.689709, 268.195221, 30.074625},
      {152.584641, 107.251373, 210.614838, -62.760571},
      {209.604172, 175.223465, 220.19812, 129.643188},
      {98.879021, 107.085518, 326.209442, 44.475986},
      {96.805817, 54.626881, 359.792633, 30.340616}},
     {{117.070122e-6, 202.682922e-6, 298.615936e-6, 244.588867e-6, 238.43782e-6},
      {87.509773e-6, 36.396919e-6, 103.628098e-6, 91.630119e-6, 97.175949e-6},
      {59.774277e-6, 59.260632e-6, 64.199661e-6, 55.017326e-6, 59.221714e-6}}},
    {"royal-target",
     0.22,
     {{2016.55456, 9.170511, 2034.97644, 104.759674},
      {2109.51684, 38.604588, 2173.93969, 19.129177},
      {2109.78002, 60.16531, 2155.51367, 27.81789},
      {2110.33349, 30.987429, 2135.0791, 121.482445},
      {2109.16015, 72.393326, 2124.13525, 40.810982},
      {2109.52612, 63.424015, 2152.73852, 39.885654}},
     {{125.409805e-6, 167.284561e-6, 215.41275e-6, 215.09079e-6, 223.861038e-6},
      {107.997696e-6, 120.583267e-6, 144.141678e-6, 140.606689e-6, 153.048309e-6},
      {125.409805e-6, 167.284561e-6, 215.41275e-6, 215.09079e-6, 227.861038e-6}}},
    {"tango-red-jet-set",
     0.113,
     {{43.067627, 54.373299, 171.424835, 14.3147},
      {75.151695, 82.195221, 236.163773, -7.230383},
      {57.548206, 89.637825, 224.553848, 3.932043},
      {107.244377, 124.801788, 364.583557, 41.386868},
      {178.734039, 178.488907, 371.764618, -30.898058},
      {227.028687, -21.865427, 404.867188, 62.636021}},
     {{14.293814e-6, 8.949391e-6, 30.011126e-6, 36.08149e-6, 18.363136e-6},
      {21.9517e-6, 22.446325e-6, 18.408735e-6, 19.598495e-6, 12.071854e-6},
      {20.345654e-6, 22.69688e-6, 15.698071e-6, 13.466827e-6, 7.556618e-6}}},
    {"white-dots-on-blk",
     0.128,
     {{2002.08618, 0.345588, 2027.48559, 19.189022},
      {2107.22753, 36.371597, 2171.73339, 16.904713},
      {2107.29882, 57.936157, 2153.30712, 24.392872},
      {2107.73291, 28.389059, 2132.72607, 101.462021},
      {2106.9375, 70.149529, 2121.87353, 38.054455},
      {2107.30786, 61.21629, 2150.4768, 37.668823}},
     {{51.713814e-6, 36.506981e-6, 66.360748e-6, 52.729267e-6, 15.221714e-6},
      {40.65947e-6, 10.401686e-6, 20.84782e-6, 30.993469e-6, 12.726685e-6},
      {31.282822e-6, 22.910311e-6, 26.350384e-6, 30.637762e-6, 16.726685e-6}}},
    {"white-swim-solid",
     0.204,
     {{47.971176, 6.834521, 104.615456, 60.773663},
      {40.369045, 23.092957, 169.66629, -24.68189},
      {40.291599, 48.142597, 138.261612, 9.002558},
      {51.393467, -32.966949, 79.881721, 35.973194},
      {51.500938, 1.86891, 63.693932, -37.540417},
      {68.621185, 40.13195, 124.468513, 36.199604}},
     {{60.237942e-6, 56.357208e-6, 69.698593e-6, 55.305969e-6, 34.705532e-6},
      {58.803211e-6, 63.121964e-6, 61.379181e-6, 47.971302e-6, 19.383726e-6},
      {51.018833e-6, 50.741455e-6, 50.570576e-6, 50.006001e-6, 24.556618e-6}}},
};
enum { FABRICS = sizeof fabrics / sizeof fabrics[0] };

/* Samples are at strains 0 and 1/6, and at curvatures 10/m apart. */
static const double strain_samples = 6, curvature_samples = 0.1;

int32_t mus_fabric_get_count(void) {
    return FABRICS;
}

const mus_fabric *mus_fabric_get(int32_t index) {
    return index >= 0 && index < FABRICS ? &fabrics[index] : NULL;
}

static double interpolate_linear(double a, double b, double t) {
    return (1 - t) * a + t * b;
}

/* Interpolates five samples along the range 0..4 piecewise linearly. */
static double interpolate_samples(const double s[5], double at) {
    int k = at < 0 ? 0 : at > 3 ? 3 : (int)at;
    return interpolate_linear(s[k], s[k + 1], fmin(fmax(at - k, 0), 1));
}

void mus_fabric_stretch(const mus_fabric *f, double uu, double vv, double uv, double out[4]) {
    double mean = 0.5 * (uu + vv), half = 0.5 * (uu - vv), radius = sqrt(half * half + uv * uv);
    double high = mean + radius, low = mean - radius; /* principal strains */
    double strain = fmin(fmax(strain_samples * (sqrt(fmax(1 + 2 * high, 0)) - 1), 0), 1);
    double angle = radius > 0 ? 0.5 * mus_atan2(fabs(uv), half) : 0; /* of the larger, 0..pi/2 from the warp */
    double directed = low > 0 ? (high - low) / high : 1;
    for (int k = 0; k < 4; k++) {
        double s[5];
        for (int a = 0; a < 5; a++) s[a] = f->stretch[a + 1][k];
        double all = (0.5 * (s[0] + s[4]) + s[1] + s[2] + s[3]) / 4;
        double stretched =
            interpolate_linear(all, interpolate_samples(s, angle * 8 / 3.14159265358979323846), directed);
        out[k] = fmax(interpolate_linear(f->stretch[0][k], stretched, strain), 0);
    }
    out[1] = fmin(out[1], 0.99 * sqrt(out[0] * out[2]));
}

/* Parts of the range up to the last sample, in which coefficients that would be negative may begin to be zero. */
enum { WORK_PARTS = 4 };

/* Work from one share of the strain to another: Gauss-Legendre quadrature with 4 points. */
static double stretch_work_between(const mus_fabric *f, double uu, double vv, double uv, double from, double to) {
    static const double at[2] = {0.33998104358485626, 0.86113631159405258},
                        weight[2] = {0.65214515486254614, 0.34785484513745386};
    double sum = 0, half = 0.5 * (to - from);
    for (int k = 0; k < 4; k++) {
        double share = from + half * (1 + (k & 1 ? -at[k / 2] : at[k / 2])), c[4];
        mus_fabric_stretch(f, share * uu, share * vv, share * uv, c);
        double work = c[0] * uu * uu + 2 * c[1] * uu * vv + c[2] * vv * vv + 2 * c[3] * uv * uv;
        sum += half * weight[k / 2] * share * work;
    }
    return sum;
}

double mus_fabric_stretch_work(const mus_fabric *f, double uu, double vv, double uv) {
    double half = 0.5 * (uu - vv), high = 0.5 * (uu + vv) + sqrt(half * half + uv * uv);
    double last = (1 + 1 / strain_samples) * (1 + 1 / strain_samples) - 1; /* twice the strain of the last sample */
    double share = 2 * high > last ? last / (2 * high) : 1;
    double sum = stretch_work_between(f, uu, vv, uv, share, 1), part = share / WORK_PARTS;
    for (int k = 0; k < WORK_PARTS; k++) sum += stretch_work_between(f, uu, vv, uv, k * part, (k + 1) * part);
    return sum;
}

mus_rigidity mus_fabric_bending(const mus_fabric *f, double curvature) {
    double at = fabs(curvature) * curvature_samples;
    /* a hinge of the publication, k l^2 angle^2/(8 area), is a plate of k/4; its angle is that of the crease */
    return mus_rigidity_of(0.25 * interpolate_samples(f->bending[2], at), 0.25 * interpolate_samples(f->bending[0], at),
                           0.25 * interpolate_samples(f->bending[1], at));
}
