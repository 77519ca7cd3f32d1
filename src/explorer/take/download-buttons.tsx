import { useState } from 'preact/hooks'
import { ApiError, offline } from '../api/api-error.js'
import { overNetwork } from '../api/network.js'
import { say } from '../draw/say.js'
import { apiKey } from '../store.js'
import { FILE_TYPES, type FileType, fetchFile, keepFile } from './download.js'
import type { Taken } from './taken.js'

const transport = overNetwork(() => apiKey.value)

/** Saves the tensor as a file, as the service writes it. */
export function DownloadButtons({ taken: { call, output } }: { readonly taken: Taken }) {
  const [refusal, setRefusal] = useState('')
  const save = async (type: FileType) => {
    try {
      keepFile(`${output}.${type}`, await fetchFile(transport, call, type))
      setRefusal('')
      say(`${output}.${type} saved`)
    } catch (reason) {
      setRefusal((reason instanceof ApiError ? reason : offline(reason)).message)
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
