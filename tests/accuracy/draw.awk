# draw.awk: draws the points that tests/accuracy prints as plots: awk -v folder=DIR -f tests/accuracy/draw.awk RESULTS
# writes DIR/NAME.svg, and prints the largest deviation of each series from theory. Points of the series "theory" are joined in the order of x, others are dots.
function place(v, low, high, from, to) { return from + (v - low) / (high - low) * (to - from) }
function scaled(plot, v) { return scale[plot] == "log" ? log(v) / log(10) : v }
function text(x, y, anchor, s) {
    return sprintf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, s)
}
BEGIN { FS = ";"; split("#c0392b #2471a3 #1e8449 #7d3c98 #b9770e", colors, " ") }
sub(/^#? *curve;/, "curve;") && NF == 8 {
    plot = $2; scale[plot] = $3; xname[plot] = $4; yname[plot] = $5
    if (!((plot, $6) in series)) { series[plot, $6] = ++count[plot]; names[plot, count[plot]] = $6 }
    if (($2, $6, $7) in seen && $6 == "theory") next
    seen[$2, $6, $7] = 1
    n = ++points[plot, $6]
    raw[plot, $6, n] = $8 + 0; at[plot, $6, n] = $7
    if ($6 == "theory") theory[plot, $7] = $8 + 0
    x = px[plot, $6, n] = scaled(plot, $7 + 0); y = py[plot, $6, n] = scaled(plot, $8 + 0)
    if (!(plot in xl)) { xl[plot] = xh[plot] = x; yl[plot] = yh[plot] = y }
    if (x < xl[plot]) xl[plot] = x
    if (x > xh[plot]) xh[plot] = x
    if (y < yl[plot]) yl[plot] = y
    if (y > yh[plot]) yh[plot] = y
}
END {
    for (plot in count) {
        file = folder "/" plot ".svg"
        dx = 0.05 * (xh[plot] - xl[plot]) + 1e-9; dy = 0.05 * (yh[plot] - yl[plot]) + 1e-9
        x0 = xl[plot] - dx; x1 = xh[plot] + dx; y0 = yl[plot] - dy; y1 = yh[plot] + dy
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"440\" font-family=\"sans-serif\" font-size=\"13\">" >file
        print "<rect width=\"640\" height=\"440\" fill=\"white\"/>" >file
        print "<rect x=\"70\" y=\"30\" width=\"540\" height=\"350\" fill=\"none\" stroke=\"#888\"/>" >file
        for (k = 0; k <= 4; k++) {
            vx = xl[plot] + k / 4 * (xh[plot] - xl[plot]); vy = yl[plot] + k / 4 * (yh[plot] - yl[plot])
            sx = place(vx, x0, x1, 70, 610); sy = place(vy, y0, y1, 380, 30)
            printf "<path d=\"M%.1f 380v5M70 %.1fh-5\" stroke=\"#888\"/>\n", sx, sy >file
            printf "%s", text(sx, 400, "middle", sprintf("%.3g", scale[plot] == "log" ? 10 ^ vx : vx)) >file
            printf "%s", text(62, sy + 4, "end", sprintf("%.3g", scale[plot] == "log" ? 10 ^ vy : vy)) >file
        }
        printf "%s", text(340, 428, "middle", xname[plot]) text(70, 20, "start", yname[plot]) >file
        for (s = 1; s <= count[plot]; s++) {
            name = names[plot, s]; m = points[plot, name]
            color = name == "theory" ? "#333333" : colors[(s - 1) % 5 + 1]
            if (name == "theory") {
                for (i = 2; i <= m; i++) for (j = i; j > 1 && px[plot, name, j] < px[plot, name, j - 1]; j--) {
                    t = px[plot, name, j]; px[plot, name, j] = px[plot, name, j - 1]; px[plot, name, j - 1] = t
                    t = py[plot, name, j]; py[plot, name, j] = py[plot, name, j - 1]; py[plot, name, j - 1] = t
                }
                printf "<polyline fill=\"none\" stroke=\"%s\" points=\"", color >file
                for (i = 1; i <= m; i++)
                    printf "%.1f,%.1f ", place(px[plot, name, i], x0, x1, 70, 610), place(py[plot, name, i], y0, y1, 380, 30) >file
                print "\"/>" >file
            }
            for (i = 1; i <= m && name != "theory"; i++)
                printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\"/>\n",
                    place(px[plot, name, i], x0, x1, 70, 610), place(py[plot, name, i], y0, y1, 380, 30), 3 + s, color >file
            worst = -1
            for (i = 1; i <= m && name != "theory"; i++) {
                if (!((plot, at[plot, name, i]) in theory) || theory[plot, at[plot, name, i]] == 0) continue
                off = raw[plot, name, i] / theory[plot, at[plot, name, i]] - 1
                if (off < 0) off = -off
                if (off > worst) worst = off
            }
            if (worst >= 0) printf "%s, %s: at most %.2f %% from theory\n", plot, name, 100 * worst
            printf "<g fill=\"%s\">%s</g>\n", color, text(600, 30 + 18 * s, "end", name) >file
        }
        print "</svg>" >file
        close(file)
        print file ": written"
    }
}
