/** Where it is said that traces could not be sent. */
export interface TraceLog {
  warn(facts: object, message: string): void
}
