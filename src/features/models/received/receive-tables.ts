import type { FastifyRequest } from 'fastify'
import { bytesOf, type SharedTables } from '../../../first-layer/embeddings/table-memory.js'
import type { SafetensorsHeader, StoredTensor } from '../../../first-layer/tensors/safetensors/header.js'
import type { ModelEntry } from '../../../service/models/entry.js'
import type { ModelAdmin } from '../../../service/models/keeper/keeper.js'
import type { UploadPlan } from '../../../service/models/keeper/uploads.js'
import { checkFileLength, cutOff, invalidFile, readHead } from '../../../service/request/body/file-head.js'
import { FileReader } from '../../../service/request/body/file-reader.js'
import { bodyChunks } from '../../../service/request/body/read-body.js'

/**
 * Receives a safetensors file: reads its header, then its tensors straight into memory that the service has
 * reserved for them, and replaces the model's tables after the last byte. Where anything fails before, no model
 * has changed.
 *
 * @param plan decides from the header which tables of which model the file replaces
 * @throws InletError `invalid_request` for a file that is not safetensors or not complete; what `plan` and
 *   `ModelAdmin` throw
 */
export async function receiveTables(
  request: FastifyRequest,
  admin: ModelAdmin,
  plan: (header: SafetensorsHeader) => UploadPlan,
): Promise<ModelEntry> {
  // No limit here: the file's own header gives its exact length.
  const file = new FileReader(bodyChunks(request, Number.MAX_SAFE_INTEGER), request.claim)
  try {
    const head = await readHead(file, request.claim)
    checkFileLength(request, head)
    const { upload, tables } = await admin.openUpload(plan(head.header))
    try {
      await receive(file, head.header.tensors, tables)
    } catch (error) {
      await admin.abandonUpload(upload)
      throw error
    }
    return await admin.commitUpload(upload, file.digest())
  } finally {
    await file.close()
  }
}

async function receive(
  file: FileReader,
  tensors: readonly StoredTensor[],
  tables: SharedTables,
): Promise<void> {
  for (const { name, start, end } of tensors) {
    const place = tables.places.find((each) => each.name === name)
    if (place === undefined) throw new Error(`No memory was set aside for ${name}.`)
    const missing = end - start - (await file.fill(bytesOf(tables, place)))
    if (missing > 0) throw cutOff(name, missing)
  }
  if (!(await file.isAtEnd())) throw invalidFile('Bytes follow the last tensor.')
}
