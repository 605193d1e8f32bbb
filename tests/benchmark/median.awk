# Of lists, whose numbers have spaces between them.

function sorted(list, values,    n, i, j, swap) {
  n = split(list, values, " ")
  for (i = 2; i <= n; ++i)
    for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; --j) {
      swap = values[j]
      values[j] = values[j - 1]
      values[j - 1] = swap
    }
  return n
}

function median(list,    values, n) {
  n = sorted(list, values)
  return values[int((n + 1) / 2)]
}
