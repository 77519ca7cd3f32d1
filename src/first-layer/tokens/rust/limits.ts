/** Bytes that the library and its answers hold for each byte of a text, or each id, while it works on it. */
export const HELD_BYTES = 300

/** Up to so many bytes of text, or ids, a job is a short one: it has a place of its own beside the long ones. */
export const SHORT_TEXT = 1 << 13

/** The time of one job, beside twice the time in which its file was opened: so much, and more for each byte or id. */
export const JOB_MS = 5000
export const JOB_MICROSECONDS_PER_BYTE = 20

/** The time in which a tokenizer.json must be opened. */
export const OPEN_MS = 60_000

/** Processes of tokenizers that stay when they have nothing to do; those used least recently end. */
export const MOST_IDLE_PROCESSES = 16

/** Memory that jobs take while the library works on them. */
export interface JobRoom {
  /**
   * Takes bytes for a job, if there is room now.
   *
   * @param isShort whether the job is a short one, for which there is always some room left
   * @throws InletError for more bytes than there is ever room for
   */
  take(bytes: number, isShort: boolean): boolean
  give(bytes: number): void
}

/** The bounds of jobs that wait. */
export interface LibraryLimits {
  readonly room: JobRoom
  /** A job that has not begun after so many milliseconds fails, and at once where it would wait longer. */
  readonly waitMs: number
}

/** No bounds: for scripts, which share the library with no caller. */
export const UNLIMITED: LibraryLimits = {
  room: { take: () => true, give() {} },
  waitMs: Number.POSITIVE_INFINITY,
}
