import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { type Forecast, PACKINGS } from './dataset-recipe.js'
import { percent } from './packed-windows-card.js'
import { datasetAnswer } from './state.js'

/** The share of slots that hold tokens, by context length and packing: before a run, from the service's plan. */
export function ForecastCard() {
  const current = datasetAnswer.value
  if (current === undefined) return null
  const { forecasts, recipe } = current
  return (
    <Card
      id="forecast"
      title="Forecast"
      about="What a run would give: the share of slots that hold tokens, the rest are pads; and how many documents a window's end cuts. Short windows are padded, none dropped."
    >
      <table class="forecast">
        <thead>
          <tr>
            <th scope="col">T</th>
            {PACKINGS.map((packing) => (
              <th key={packing} scope="col">
                {packing}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {forecasts.map(({ length, of }) => (
            <tr key={length} class={length === recipe.context_length ? 'own' : undefined}>
              <th scope="row">{counted(length)}</th>
              {PACKINGS.map((packing) => (
                <td key={packing}>
                  <Fill of={of[packing]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

/** A bar, and its number. */
function Fill({ of: { fill, num_windows: windows, num_split_documents: split } }: { readonly of: Forecast }) {
  return (
    <>
      <svg class="fill" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="whole" width={100} height={8} />
        <rect class="part" width={100 * fill} height={8} />
      </svg>
      <b>{percent(fill)}</b>{' '}
      <span class="note">
        {counted(windows)} {windows === 1 ? 'window' : 'windows'}, {counted(split)} cut
      </span>
    </>
  )
}
