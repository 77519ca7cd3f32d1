/** The value of a promise; undefined where it has none within `milliseconds`, or where there is no promise. */
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
