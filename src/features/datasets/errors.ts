import {
  type ErrorRow,
  errorsOf,
  type InletError,
  overloaded,
  shown,
} from '../../service/answer/error-table.js'

export const errors = {
  dataset_not_found: [404, 'no such dataset'],
  recipe_mismatch: [409, 'the recipe has another id than the `recipe_id` that it came with'],
  encoding_mismatch: [
    422,
    'rows of a model whose encoding is not that of the dataset, or a mixture of several encodings',
  ],
  dataset_indexing: [503, 'the windows of a dataset are being computed; see `Retry-After`'],
} as const satisfies Readonly<Record<string, ErrorRow>>

declare module '../../first-layer/errors.js' {
  interface ErrorCodes extends Readonly<Record<keyof typeof errors, true>> {}
}

export const DatasetError = errorsOf(errors)

/** 404; `param` is the field that names the dataset, unless the path does. */
export function datasetNotFound(id: string, why = '', param = 'dataset'): InletError {
  const message = `\`${param}\` must be the id of a dataset${why}. Given: ${shown(id)}`
  return new DatasetError('dataset_not_found', message, param)
}

/** 503 while a packing or an order of a dataset is being made. */
export function datasetIndexing(): InletError {
  const message = 'The windows of this recipe are being computed. Try again in 2 s.'
  return new DatasetError('dataset_indexing', message, null, { 'retry-after': '2' })
}

/** The error, or 503 where the process, or the machine, has as many files open as it may. */
export function refusedOpen(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE'
    ? overloaded('There is no file descriptor for the dataset now.')
    : error
}
