/** Numbers that depend on their seed alone (mulberry32): `random()` in [0, 1). */
export function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Functions that draw: `upTo(6)` gives 0 … 5, `one(list)` an element, `chance(0.1)` true now and then. */
export function drawing(seed) {
  const random = randomFrom(seed)
  const upTo = (count) => Math.floor(random() * count)
  return { random, upTo, one: (list) => list[upTo(list.length)], chance: (share) => random() < share }
}
