(function () {
  "use strict";
  var frames = document.querySelectorAll("#sheet figure");
  var player = document.getElementById("player"), picture = document.getElementById("picture");
  var slider = document.getElementById("slider"), play = document.getElementById("play");
  var shown = document.getElementById("shown"), timer = null;
  var times = [];
  frames.forEach(function (f) { times.push(Number(f.dataset.time)); });

  function show(k) {
    var image = frames[k].querySelector("img");
    picture.src = image.src;
    picture.alt = image.alt;
    slider.value = k;
    slider.setAttribute("aria-valuetext", image.alt);
    shown.textContent = image.alt;
  }
  function stop() {
    clearTimeout(timer);
    timer = null;
    play.textContent = "Play";
  }
  // At the speed of the scene; at most 30 pictures a second.
  function advance() {
    var k = Number(slider.value) + 1;
    if (k >= frames.length) { stop(); return; }
    show(k);
    var pause = k + 1 < frames.length ? 1000 * (times[k + 1] - times[k]) : 0;
    timer = setTimeout(advance, Math.max(33, pause));
  }
  play.addEventListener("click", function () {
    if (timer !== null) { stop(); return; }
    if (Number(slider.value) >= frames.length - 1) { show(0); }
    play.textContent = "Pause";
    timer = setTimeout(advance, 33);
  });
  slider.addEventListener("input", function () { stop(); show(Number(slider.value)); });
  document.getElementById("sheet").hidden = true;
  player.hidden = false;
  show(0);
}());
