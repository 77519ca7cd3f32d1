/** Takes the ids of an upload's documents as they come. */
export interface DocumentSink {
  /**
   * The next ids, of documents one behind the other.
   *
   * @param ids they, and `ends`, may be used again once the promise has settled
   * @param ends for each document that ends among them: the number of `ids` before its end, ascending. The ids behind the
   *   last of them belong to a document that goes on; a document may be empty
   */
  write(ids: Int32Array, ends: Int32Array): Promise<void>
}
