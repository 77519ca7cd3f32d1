/** Longest turn of the event loop while `work` runs, in milliseconds by the clock: the machine must have nothing else to do. */
export async function longestTurn(work) {
  let longest = 0
  let last = performance.now()
  let next = setImmediate(function turn() {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    next = setImmediate(turn)
  })
  await work()
  clearImmediate(next)
  return longest
}
