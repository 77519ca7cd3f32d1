import { HeaderedError, InletError, overloaded, shown } from '../answer/error-table.js'

/** 404; `param` is the field that names the dataset, unless the path does. */
export function datasetNotFound(id: string, why = '', param = 'dataset'): InletError {
  const message = `\`${param}\` must be the id of a dataset${why}. Given: ${shown(id)}`
  return new InletError('dataset_not_found', message, param)
}

/** 503 while a packing or an order of a dataset is being made. */
export function datasetIndexing(seconds = 2): InletError {
  const message = `The windows of this recipe are being computed. Try again in ${seconds} s.`
  return new HeaderedError('dataset_indexing', message, null, { 'retry-after': String(seconds) })
}

/** Whether the process, or the machine, has as many files open as it may. */
export function isOutOfDescriptors(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE'
}

/** 503 where a dataset's file cannot be opened beside all others. */
export function noDescriptor(): InletError {
  return overloaded('There is no file descriptor for the dataset now.')
}
