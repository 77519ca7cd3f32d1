const f32 = Math.fround

/** `nn.Embedding`'s dense backward: g [N][C] added to the rows `ids`, one after the other, from zero. */
export function denseBackwardTwin(
  ids: ArrayLike<number>,
  g: readonly (readonly number[])[],
): Map<number, number[]> {
  const sums = new Map<number, number[]>()
  for (const [i, row] of g.entries()) {
    const id = ids[i]!
    if (id < 0) continue
    const sum = sums.get(id) ?? row.map(() => 0)
    sums.set(
      id,
      sum.map((value, c) => f32(value + row[c]!)),
    )
  }
  return sums
}

/** Σ over the rows of x [n][columns] as a cascade, by the text of the law: runs of 16, runs of runs, and so on. */
function cascadeTwin(x: readonly (readonly number[])[], columns: number): number[] {
  const zero = () => Array<number>(columns).fill(0)
  const add = (a: readonly number[], b: readonly number[]) => a.map((value, c) => f32(value + b[c]!))
  const level = [zero(), zero(), zero(), zero()]
  let power = 4
  while (2 ** (4 * (power + 1) - 1) < x.length) power++
  const run = 2 ** power
  for (const [i, row] of x.entries()) {
    level[0] = add(level[0]!, row)
    for (let j = 1; j < 4 && (i + 1) % run ** j === 0; j++) {
      level[j] = add(level[j]!, level[j - 1]!)
      level[j - 1] = zero()
    }
  }
  return add(add(add(level[0]!, level[1]!), level[2]!), level[3]!)
}

function fourWaysTwin(x: readonly (readonly number[])[], columns: number): number[] {
  const whole = x.length - (x.length % 4)
  const add = (a: readonly number[], b: readonly number[]) => a.map((value, c) => f32(value + b[c]!))
  const part = [0, 1, 2, 3].map((k) =>
    cascadeTwin(
      x.slice(0, whole).filter((_, i) => i % 4 === k),
      columns,
    ),
  )
  for (const row of x.slice(whole)) part[0] = add(part[0]!, row)
  return add(add(add(part[0]!, part[1]!), part[2]!), part[3]!)
}

/** PyTorch's sum of x [B][n] over B: where n is T·C, the gradient of position rows that were broadcast. */
export function broadcastBackwardTwin(x: readonly (readonly number[])[]): number[] {
  const n = x[0]!.length
  if (n === 1 && x.length >= 8) {
    const whole = x.length - (x.length % 8)
    const values = x.map(([value]) => value!)
    const eights = Array.from({ length: whole / 8 }, (_, i) => values.slice(8 * i, 8 * i + 8))
    let total = 0
    for (const value of [...values.slice(whole), ...fourWaysTwin(eights, 8)]) total = f32(total + value)
    return [total]
  }
  const whole = n - (n % (n >= 8 ? 32 : 4))
  return [
    ...cascadeTwin(
      x.map((row) => row.slice(0, whole)),
      whole,
    ),
    ...fourWaysTwin(
      x.map((row) => row.slice(whole)),
      n - whole,
    ),
  ]
}
