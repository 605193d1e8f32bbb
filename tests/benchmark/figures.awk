# The table of tests/benchmark/run: a line for each workload and client, its fields separated by `separator`. Reads
# lines of the workload, the client, the round, the number of calls, and what the client printed (benchmark/peer.hpp).
# The variables `runs`, `opened` and `slopes` name files; tests/benchmark/run says what is in them.

# The median, and from the least to the greatest.
function span(list,    values, n) {
  n = sorted(list, values)
  return sprintf("%.2f (%.2f to %.2f)", median(list), values[1], values[n])
}

function figure(format, table, key) { return key in table ? sprintf(format, median(table[key])) : "-" }

function row(a, b, c, d, e, f, g, h, i, j,    line) {
  line = a separator b separator c separator d separator e separator f
  print line separator g separator h separator i separator j
}

BEGIN {
  while ((getline <opened) > 0) {
    split($0, path, "/")
    ++connections_of[path[3]]
  }
  while ((getline <runs) > 0)
    if ($4 > 0) connections[$2 " " $3] = connections[$2 " " $3] " " (connections_of[$1] + 0)
  while ((getline <slopes) > 0) {
    instructions[$1 " " $2] = $3
    allocations[$1 " " $2] = $4
  }
}

{
  key = $1 " " $2
  if (!(key in rounds)) keys[++count] = key
  rounds[key] = $3
}

# No round: the client was not built.
$3 > 0 {
  each[key, $3] = $5 / $4
  took[key] = took[key] " " $5 / $4
  processor[key] = processor[key] " " ($6 + $7) / $4
  switches[key] = switches[key] " " $8 / $4
  memory[key] = memory[key] " " $9 / 1024
}

END {
  row("workload", "client", "noun's time / its time", "us", "CPU us", "instructions", "allocations", "switches",
      "connections", "MiB")
  for (i = 1; i <= count; ++i) {
    key = keys[i]
    split(key, part, " ")
    if (rounds[key] == 0) {
      row(part[1], part[2], "not here", "-", "-", "-", "-", "-", "-", "-")
      continue
    }
    ratios = ""
    for (round = 1; round <= rounds[key]; ++round)
      ratios = ratios " " each[part[1] " noun", round] / each[key, round]
    row(part[1], part[2], part[2] == "noun" ? "1" : span(ratios), figure("%.1f", took, key),
        figure("%.1f", processor, key), figure("%d", instructions, key), figure("%.1f", allocations, key),
        figure("%.2f", switches, key), figure("%d", connections, key), figure("%.1f", memory, key))
  }
}
