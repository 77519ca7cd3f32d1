/** The files of a checkpoint, in a folder or elsewhere. */
export interface CheckpointFiles {
  /** Where they are, as `from_pretrained` of transformers takes it. */
  readonly source: string
  names(): Promise<readonly string[]>
  /**
   * The text of a file; undefined where the file is missing.
   *
   * @param most bytes of the file
   * @throws where the file is longer, or is not UTF-8
   */
  text(name: string, most: number): Promise<string | undefined>
  /** Opens a file for reading. The caller closes it. @throws where it is missing */
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
