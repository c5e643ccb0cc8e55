-- curves.lua: points of a plot, printed one a line for `make accuracy`, which draws them (tests/accuracy/draw.awk).
local curves = {}

--- A plot by name, with the labels of its axes and "linear" or "log" for both.
function curves.plot(name, x, y, scale)
  local plot = {}
  --- A point (x, y) of a series: "theory" is drawn as a line, any other as dots.
  function plot.add(series, x_value, y_value)
    print(("curve;%s;%s;%s;%s;%s;%.9g;%.9g"):format(name, scale, x, y, series, x_value, y_value))
  end
  return plot
end

return curves
