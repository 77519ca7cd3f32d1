/** How often the event loop turned for others while `work` ran, and what it gave. */
export async function countTurns<Result>(work: Promise<Result>): Promise<[turns: number, result: Result]> {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  try {
    const result = await work
    return [turns, result]
  } finally {
    clearImmediate(next)
  }
}
