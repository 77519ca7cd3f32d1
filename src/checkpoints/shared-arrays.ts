/** Arrays of fewer bytes are copied to each thread: that is cheaper than a memory of their own. */
const SMALL = 1 << 10

/**
 * Plain data whose large typed arrays lie in shared memory: posting it to a thread copies none of them. What lies there
 * already is kept.
 */
export function inSharedMemory<Data>(data: Data): Data {
  if (ArrayBuffer.isView(data)) return shared(data as unknown as Uint8Array) as Data
  if (Array.isArray(data)) return data.map((each) => inSharedMemory(each)) as Data
  if (typeof data !== 'object' || data === null || data instanceof SharedArrayBuffer) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, inSharedMemory(value)]),
  ) as Data
}

function shared(view: Uint8Array): Uint8Array {
  if (view.buffer instanceof SharedArrayBuffer || view.byteLength < SMALL) return view
  const Kind = view.constructor as Uint8ArrayConstructor
  const copy = new Kind(new SharedArrayBuffer(view.byteLength))
  copy.set(view)
  return copy
}
