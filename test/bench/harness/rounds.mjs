/** The middle one of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Lets each contender work once a round, the first one changing, so that whatever else slows the machine hits all.
 *
 * @param contenders name → function that gives one figure
 * @returns name → its figures, one a round
 */
export async function takeTurns(rounds, contenders) {
  const names = Object.keys(contenders)
  const figures = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]
      figures[name].push(await contenders[name]())
    }
  }
  return figures
}

/**
 * How many times `rival` fits into `own`, round by round: { middle, low, high }. For durations give them the other
 * way round.
 */
export function ratio(own, rival) {
  const each = own.map((figure, round) => figure / rival[round])
  return { middle: median(each), low: Math.min(...each), high: Math.max(...each) }
}
