/** Takes the ids of an upload's documents as they come. */
export interface DocumentSink {
  /**
   * The next ids of the present document. The array may be used again once the promise has settled; undefined: at
   * once.
   */
  write(ids: Int32Array): Promise<void> | undefined
  /** Ends the present document, which may be empty. */
  endDocument(): Promise<void> | undefined
}
