import { Asking } from '../../../clients/typescript/src/asking.js'
import type { CallOptions } from '../../../clients/typescript/src/index.js'
import type { Batch, Dataset, DatasetRecipe, Forecast } from './dataset-recipe.js'

/** The recipe of a plan or of a batch, without its place. */
type Asked = Omit<DatasetRecipe, 'dataset' | 'batch'>

/** The page's calls about datasets. */
export class DatasetCalls extends Asking {
  /** The newest datasets. @throws Refused 404 where the service has no such routes */
  async list(options: CallOptions): Promise<readonly Dataset[]> {
    const call = { method: 'GET', path: '/v1/datasets', repeat: true }
    return (await this.json<{ data: readonly Dataset[] }>(call, options)).data
  }

  plan(dataset: string, recipe: Asked, options: CallOptions): Promise<Forecast> {
    const path = `/v1/datasets/${dataset}/batches`
    return this.json({ method: 'GET', path, query: recipe, repeat: true }, options)
  }

  batch({ dataset, batch, ...recipe }: DatasetRecipe, options: CallOptions): Promise<Batch> {
    const path = `/v1/datasets/${dataset}/batches/${batch}`
    const query = { ...recipe, outputs: 'input_ids,segment_ids' }
    return this.json({ method: 'GET', path, query, repeat: true }, options)
  }

  /** A file of text as one document. @returns the dataset, which may have been there already */
  async upload(file: File, encoding: string, options: CallOptions): Promise<Dataset> {
    const text = new Uint8Array(await file.arrayBuffer())
    const body = { text, name: file.name, encoding }
    return this.json({ method: 'POST', path: '/v1/datasets', body, raw: 'text' }, options)
  }
}
