/** The files of a checkpoint, in a folder or elsewhere. */
export interface CheckpointFiles {
  /** Their place, in the form that `from_pretrained` of transformers takes. */
  readonly source: string
  /** The names in the folder, or in a folder within it. */
  names(inside?: string): Promise<readonly string[]>
  /** The text of a file of at most `most` bytes; undefined if missing. @throws if it is longer, or not UTF-8 */
  text(name: string, most: number): Promise<string | undefined>
  /** Opens a file for reading. The caller closes it. @throws if it is missing */
  open(name: string): Promise<ReadableFile>
}

/** An open file, of which any part can be read: a `FileHandle` is one. */
export interface ReadableFile {
  stat(): Promise<{ readonly size: number }>
  /** Reads into `bytes` from `offset` on, at most `length` bytes, from the file's byte `position` on. */
  read(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
  close(): Promise<void>
}

/** Fills `target` with the file's bytes from `at` on. @returns the bytes read: fewer if the file ends before */
export async function readFully(file: ReadableFile, target: Uint8Array, at: number): Promise<number> {
  let done = 0
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, target.length - done, at + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return done
}
