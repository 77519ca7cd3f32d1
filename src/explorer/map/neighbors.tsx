import { useEffect, useState } from 'preact/hooks'
import type { NeighborsAnswer } from '../../../clients/typescript/src/index.js'
import { InletError } from '../../../clients/typescript/src/index.js'
import { rounded } from '../draw/digits.js'
import { service } from '../service.js'
import { answer } from '../store.js'
import { visible } from '../tokens/places.js'
import type { MapRow } from './map-rows.js'

type Found = NeighborsAnswer['neighbors'][number]

/** How many neighbours are shown. */
const SHOWN = 8

/** The nearest rows of the whole table, by cosine. */
export function Neighbors({ of }: { readonly of: MapRow }) {
  const [found, setFound] = useState<Found | string | undefined>()
  const { model = '', modelVersion } = answer.value ?? {}
  useEffect(() => {
    const controller = new AbortController()
    const table = of.position === undefined ? 'token' : 'position'
    const id = (of.position ?? of.id) as number
    const fields = { input_ids: [id], k: SHOWN + 1, table } as const
    service()
      .neighbors(model, fields, controller)
      .then(({ neighbors }) => setFound(neighbors[0].slice(1)))
      .catch((reason) => {
        if (reason instanceof InletError) setFound(reason.message)
      })
    return () => controller.abort()
  }, [of.key, of.position, model, modelVersion])
  if (found === undefined) return null
  if (typeof found === 'string') return <p class="note">{found}</p>
  return (
    <div>
      <h3>nearest to “{of.name}” in the whole table</h3>
      <ol class="neighbors">
        {found.map(({ id, text, score }) => (
          <li key={id}>
            <b>{text === null ? `#${id}` : visible(text)}</b> <span class="note">{rounded(score)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
