import type { Answer } from '../answer/answer.js'

/** How a window lies beside the one before it in its document. */
interface WindowFacts {
  /** Its number in the loader's order, over all batches. */
  readonly number: number
  /** Its number in the document's own order: another one where the loader shuffles. */
  readonly inText: number
  readonly document: number
  readonly start: number
  /** Tokens that the window before it in the text has too. */
  readonly overlap: number
  /** Tokens between it and the window before it, which no window has. */
  readonly gap: number
}

/** The step between window starts. */
export function strideOf({ recipe, batch }: Answer): number {
  return recipe.stride ?? recipe.context_length ?? batch.length
}

/** Facts of window `index` of the batch on screen. */
export function windowFacts(answer: Answer, index: number): WindowFacts {
  const { batch, recipe } = answer
  const start = batch.starts[index]
  const stride = strideOf(answer)
  const isFirst = start === 0
  return {
    number: recipe.batch_index * recipe.batch_size + index,
    inText: Math.round(start / stride),
    document: batch.documents[index],
    start,
    overlap: isFirst ? 0 : Math.max(0, batch.length - stride),
    gap: isFirst ? 0 : Math.max(0, stride - batch.length),
  }
}

/** Tokens at the end of each document that no window has, neither as an input nor as the last target. */
export function tailsOf({
  documents,
  windowStarts,
  windowDocuments,
  batch,
}: Answer): readonly { from: number; to: number }[] {
  const ends = new Int32Array(documents.length)
  for (let index = 0; index < windowStarts.length; index++) {
    const document = windowDocuments[index]
    ends[document] = Math.max(ends[document], windowStarts[index] + batch.length + 1)
  }
  return documents.map(({ ids }, document) => ({
    from: Math.min(ends[document], ids.length),
    to: ids.length,
  }))
}
