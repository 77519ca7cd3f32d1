/** A memory of `pages` of 64 KiB that all threads read and write. */
export function newMemory(pages: number): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
}

/** Bytes by which V8 counts a memory, at most: 256 MiB. */
const MOST_COUNTED = 2 ** 28

/** A buffer for each memory that this thread knows, for as long as it does. */
const counted = new WeakMap<WebAssembly.Memory, Buffer>()

/**
 * Makes V8 count a shared memory, which it does not do by itself: otherwise it would not collect the memories of
 * removed models. A buffer of as many bytes lives as long as the memory; its pages are never touched, so they take no
 * physical memory. Every thread that receives a memory calls this.
 */
export function countMemory(memory: WebAssembly.Memory): void {
  if (counted.has(memory)) return
  counted.set(memory, Buffer.allocUnsafeSlow(Math.min(memory.buffer.byteLength, MOST_COUNTED)))
}
