/** Bytes of a model's folder that are not those that were written. */
export class Damage extends Error {
  override readonly name = 'Damage'

  constructor(
    readonly file: string,
    /** Where in the file it begins, in bytes. */
    readonly offset: number,
    /** What does not hold there: `must have the CRC-32C that was written after it`. */
    readonly rule: string,
  ) {
    super(`${file}, byte ${offset}: ${rule}`)
  }
}

/** What a file operation gives on a file that must be there. @throws Damage where it is not */
export function there<Result>(path: string, operation: () => Result): Result {
  try {
    return operation()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Damage(path, 0, 'the file is not there')
    throw error
  }
}
