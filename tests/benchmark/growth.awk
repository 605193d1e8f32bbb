# Draws, as SVG, how the processor's time of a call grows with the number of calls in flight. Reads what figures.awk reads.

function x(in_flight) { return 60 + 420 * log(in_flight / 16) / log(5000 / 16) }
function y(microseconds) { return 300 - 270 * microseconds / top }

$3 > 0 && $1 ~ /^in_flight_/ {
  took[$2, substr($1, 11)] = took[$2, substr($1, 11)] " " ($6 + $7) / $4
}

END {
  split("16 64 1000 5000", loads, " ")
  names["noun"] = "noun"
  names["curl"] = "libcurl by hand"
  names["beast"] = "Boost.Beast"
  names["cpprest"] = "cpprestsdk"
  for (key in took) {
    split(key, part, SUBSEP)
    time[key] = median(took[key])
    if (part[1] in names && time[key] > top) top = time[key]
  }
  step = top > 100 ? 50 : 20
  top = step * (int(top / step) + 1)
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 350\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<title>Processor time of a call, by calls in flight</title>"
  print "<style>text{fill:#24292f}.axis{stroke:#d0d7de}.noun{stroke:#0969da}.curl{stroke:#bc4c00}.beast{stroke:#1a7f37}"
  print ".cpprest{stroke:#8250df}path{fill:none;stroke-width:2}circle{stroke-width:2;fill:none}"
  print "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.axis{stroke:#30363d}.noun{stroke:#58a6ff}.curl{stroke:#f0883e}"
  print ".beast{stroke:#3fb950}.cpprest{stroke:#bc8cff}}</style>"
  print "<text x=\"8\" y=\"16\">microseconds of the processor for a call</text>"
  for (at = 0; at <= top; at += step) {
    printf "<line class=\"axis\" x1=\"60\" x2=\"480\" y1=\"%.1f\" y2=\"%.1f\"/>", y(at), y(at)
    printf "<text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", y(at) + 4, at
  }
  for (i = 1; i in loads; ++i)
    printf "<text x=\"%.1f\" y=\"318\" text-anchor=\"middle\">%d</text>\n", x(loads[i]), loads[i]
  print "<text x=\"270\" y=\"340\" text-anchor=\"middle\">calls in flight</text>"
  for (peer in names) {
    line = ""
    for (i = 1; i in loads; ++i) {
      if (!((peer, loads[i]) in time)) continue
      line = line sprintf("%s%.1f %.1f", line == "" ? "M" : "L", x(loads[i]), y(time[peer, loads[i]]))
      last = time[peer, loads[i]]
      printf "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", peer, x(loads[i]), y(last)
    }
    if (line == "") continue
    printf "<path class=\"%s\" d=\"%s\"/><text x=\"488\" y=\"%.1f\">%s %.0f</text>\n", peer, line, y(last) + 4, names[peer], last
  }
  print "</svg>"
}
