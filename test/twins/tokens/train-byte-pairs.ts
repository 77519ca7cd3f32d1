/** Training as Hugging Face's trainer does it, as plainly as it can be written: all pairs are counted anew for each merge. */
export function trainBytePairs(
  pieces: readonly Uint8Array[],
  size: number,
  { minFrequency = 0, maxTokenLength = Number.POSITIVE_INFINITY } = {},
): (readonly [number, number])[] {
  const words = pieces.map((piece) => Array.from(piece))
  const length = Array.from({ length: 256 }, () => 1)
  const merges: (readonly [number, number])[] = []
  while (256 + merges.length < size) {
    const counts = new Map<string, number>()
    for (const word of words)
      for (let i = 1; i < word.length; i++) {
        const together = length[word[i - 1]!]! + length[word[i]!]!
        const key = `${word[i - 1]} ${word[i]}`
        if (together < maxTokenLength || together === 2) counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    const all = [...counts].map(
      ([key, count]) => [...key.split(' ').map(Number), count] as [number, number, number],
    )
    const [best] = all.sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1])
    if (best === undefined || best[2] < Math.max(1, minFrequency)) break
    const [left, right] = best
    const id = 256 + merges.push([left, right]) - 1
    length[id] = length[left]! + length[right]!
    for (const [at, word] of words.entries()) {
      const merged: number[] = []
      for (let i = 0; i < word.length; i++) {
        const isPair = word[i] === left && word[i + 1] === right
        merged.push(isPair ? id : word[i]!)
        if (isPair) i++
      }
      words[at] = merged
    }
  }
  return merges
}
