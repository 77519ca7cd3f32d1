import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { exchangeableOf, parametersOf } from '../../../first-layer/cards/seed-card.js'
import {
  bytesOfAll,
  type SharedTables,
  sameShape,
  type TableShape,
} from '../../../first-layer/embeddings/table-memory.js'
import { overloaded } from '../../answer/error-table.js'
import { shapeMismatch } from '../errors.js'

/** Most uploads at once: each holds memory for its tables, and more would not be faster. */
export const MAX_UPLOADS = 8

/** The tables that an upload announces. */
export interface UploadPlan {
  readonly id: string
  /** The card of the new model; absent if the upload exchanges tables of an existing one. */
  readonly card?: ModelCard
  readonly tables: readonly TableShape[]
  /** The version that the caller expects to replace: the exchange is refused if the model has another one. */
  readonly ifVersion?: number
}

/** Memory that an upload fills: tables under the upload's own names. */
export interface OpenUpload {
  readonly upload: number
  readonly tables: SharedTables
}

/** An upload that is neither committed nor abandoned. */
export interface Upload {
  readonly plan: UploadPlan
  /** The model's card when the upload began. */
  readonly card: ModelCard
  readonly tables: SharedTables
}

/** All open uploads. */
export class Uploads {
  readonly #open = new Map<number, Upload>()
  #next = 1

  /** @throws InletError `overloaded` */
  checkRoom(): void {
    if (this.#open.size < MAX_UPLOADS) return
    throw overloaded(`At most ${MAX_UPLOADS} uploads can be on their way at once.`)
  }

  add(upload: Upload): OpenUpload {
    const number = this.#next++
    this.#open.set(number, upload)
    return { upload: number, tables: upload.tables }
  }

  /** Removes an upload and returns it. */
  take(number: number): Upload | undefined {
    const upload = this.#open.get(number)
    this.#open.delete(number)
    return upload
  }

  /** Bytes of the memory that uploads fill. */
  get bytes(): number {
    return [...this.#open.values()].reduce((sum, { tables }) => sum + bytesOfAll(tables.places), 0)
  }
}

/** @throws InletError `shape_mismatch` for a table that is unknown, or of another shape or type */
export function checkShapes(given: readonly TableShape[], card: ModelCard): void {
  const known = exchangeableOf(card)
  for (const table of given) {
    const expected = known.find(({ name }) => name === table.name)
    if (expected === undefined || !sameShape(table, expected)) throw shapeMismatch(table, expected, known)
  }
}

/** A new model's upload must bring every table that a seed would draw. @throws InletError `shape_mismatch` */
export function checkComplete(given: readonly TableShape[], card: ModelCard): void {
  for (const parameter of parametersOf(card)) {
    if (given.some(({ name }) => name === parameter.name)) continue
    throw shapeMismatch(undefined, parameter, [])
  }
}

/** The layout of a version, with the tables that an upload adds to it. */
export function layoutWith(
  present: readonly TableShape[],
  brought: readonly TableShape[],
): readonly TableShape[] {
  return [...present, ...brought.filter(({ name }) => !present.some((place) => place.name === name))]
}
