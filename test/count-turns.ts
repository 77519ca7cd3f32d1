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

/** The processor time of the longest turn of the event loop while `work` ran, in milliseconds, and what it gave. */
export async function longestTurn<Result>(
  work: Promise<Result>,
): Promise<[milliseconds: number, result: Result]> {
  let longest = 0
  let before = process.cpuUsage()
  const end = () => {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
  }
  let next = setImmediate(function turn() {
    end()
    next = setImmediate(turn)
  })
  try {
    const result = await work
    end()
    return [longest, result]
  } finally {
    clearImmediate(next)
  }
}
