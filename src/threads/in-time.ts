/** What a promise gives within some milliseconds; undefined where it gives nothing, or there is none. */
export async function inTime<Value>(
  promise: Promise<Value> | undefined,
  milliseconds: number,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
