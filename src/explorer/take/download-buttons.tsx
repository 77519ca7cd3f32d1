import { useState } from 'preact/hooks'
import { say } from '../draw/say.js'
import { apiKey } from '../store.js'
import { FILE_TYPES, type FileType, fetchFile, keepFile } from './download.js'
import type { Taken } from './taken.js'

/** Saves the tensor as a file, as the service writes it. */
export function DownloadButtons({ taken }: { readonly taken: Taken }) {
  const { output } = taken
  const [refusal, setRefusal] = useState('')
  const save = async (type: FileType) => {
    try {
      keepFile(`${output}.${type}`, await fetchFile(taken, type, apiKey.value))
      setRefusal('')
      say(`${output}.${type} saved`)
    } catch (reason) {
      setRefusal((reason as Error).message)
    }
  }
  return (
    <div class="buttons">
      {(Object.keys(FILE_TYPES) as FileType[]).map((type) => (
        <button key={type} type="button" onClick={() => save(type)}>
          Save as {type}
        </button>
      ))}
      {refusal === '' ? null : (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
    </div>
  )
}
