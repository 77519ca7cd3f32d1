import type { Model } from '../../../clients/typescript/src/index.js'
import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { answer, model } from '../store.js'
import { isFollowed } from './follow.js'
import { history } from './look.js'
import { MovedRows } from './moved-rows.js'
import { RowHistory } from './row-history.js'

/** How far a model is that learns, and what becomes of its rows. Nothing of a model that does not. */
export function LearningCard() {
  const { learning, model_version: version } = model.value ?? {}
  const { snapshots } = history.value
  if (answer.value === undefined || (learning == null && snapshots.length < 2)) return null
  const holds = !isFollowed.value
  return (
    <Card
      id="learning"
      title="Rows that learn"
      about="A trainer sends gradients, and each step of the optimizer moves rows of the table. While you look, all cards go on with its newest version."
    >
      <p class="facts-line">
        version {version}: {learning == null ? 'it no longer learns.' : progressOf(learning)}
      </p>
      <button
        type="button"
        aria-pressed={holds}
        onClick={() => {
          isFollowed.value = holds
        }}
      >
        Hold this version
      </button>
      <MovedRows />
      <RowHistory />
    </Card>
  )
}

function progressOf({ optimizer, step, pending, state_bytes }: NonNullable<Model['learning']>): string {
  const waiting = `${counted(pending)} ${pending === 1 ? 'call' : 'calls'} with gradients since`
  return `${counted(step)} ${step === 1 ? 'step' : 'steps'} of ${optimizer.type}, ${waiting}; ${counted(state_bytes)} bytes of states.`
}
