import type { FileHandle } from 'node:fs/promises'
import { folderError, told } from '../folder-error.js'

/**
 * Fills `target` with the file's bytes from `at` on.
 *
 * @throws InletError `model_failed` where the file ends before
 */
export async function fillFromFile(
  file: FileHandle,
  target: Uint8Array,
  at: number,
  { file: fileName, name }: { readonly file: string; readonly name: string },
): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, at + done)
    if (bytesRead === 0) throw folderError(fileName, `ends within ${told(name)}`)
    done += bytesRead
  }
}
