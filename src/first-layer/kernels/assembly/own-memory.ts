// Allocation, for modules with a memory of their own.

let top: usize = (__heap_base + 63) & ~63

/** Reserves `bytes` zeroed bytes at a multiple of 64. Nothing is ever freed. */
export function reserve(bytes: usize): usize {
  const start = top
  top = (start + bytes + 63) & ~63
  const missing = <i32>((top + 0xffff) >>> 16) - memory.size()
  if (missing > 0 && memory.grow(missing) < 0) unreachable()
  return start
}

/** The exponent of the smallest power of two that is at least `n`: 5 → 3. */
export function exponentOf(n: u32): u32 {
  return 32 - clz<u32>(n - 1)
}
