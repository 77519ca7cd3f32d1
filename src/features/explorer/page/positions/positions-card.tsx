import type { Positions } from '../answer/answer.js'
import { Card } from '../draw/card.js'
import { counted } from '../draw/digits.js'
import { Heatmap } from '../draw/heatmap.js'
import type { PositionType } from '../recipe/recipe.js'
import { answer, model } from '../store.js'
import { AddedPicture } from './added-picture.js'
import { AlibiPicture } from './alibi-picture.js'
import { RopePicture } from './rope-picture.js'
import { T5Picture } from './t5-picture.js'
import { TransformerXlPicture } from './transformer-xl-picture.js'

/** The schemes that give tensors. */
type Drawn = Exclude<PositionType, 'none'>

/** Of each scheme: what it does, in a sentence, and its picture. */
const PICTURES: Readonly<
  Record<Drawn, { about: string; picture: (positions: Positions) => preact.JSX.Element }>
> = {
  learned_absolute: {
    about:
      'A second table, with a row for each place. Attention cannot see order: these rows say “I am token 5”.',
    picture: (positions) => <AddedPicture positions={positions} />,
  },
  sinusoidal: {
    about:
      'Sines and cosines with ever longer waves. Nothing is learned, and there is a row for every place.',
    picture: (positions) => <AddedPicture positions={positions} curves />,
  },
  rope: {
    about:
      'Each pair of channels of queries and keys is turned by an angle that grows with the place. Rows stay as they are.',
    picture: (positions) => <RopePicture positions={positions} />,
  },
  alibi: {
    about: 'A score loses a little for each token of distance, and each head loses at its own rate.',
    picture: (positions) => <AlibiPicture positions={positions} />,
  },
  t5: {
    about:
      'Distances share buckets: near ones have one each, far ones share. Each head learns a number for each bucket.',
    picture: (positions) => <T5Picture positions={positions} />,
  },
  shaw: {
    about: 'A learned vector for each distance, the same for all distances beyond a bound.',
    picture: (positions) => <DistancePicture positions={positions} name="relative_position_index" />,
  },
  transformer_xl: {
    about: 'A sinusoid of the distance, from a memory of earlier tokens to the window’s own.',
    picture: (positions) => <TransformerXlPicture positions={positions} />,
  },
  deberta: {
    about: 'Content and position are kept apart: a learned vector for each distance, compared both ways.',
    picture: (positions) => <DistancePicture positions={positions} name="c2p_index" />,
  },
}

/** The position scheme, in a picture of its own. */
export function PositionsCard() {
  const current = answer.value
  if (current === undefined) return null
  const { positions, batch, rows } = current
  if (positions === undefined) {
    return (
      <Card
        id="positions"
        title="Position rows"
        about="No scheme: the rows do not say where they stand, and a shuffled sentence has the same rows, shuffled. Some models learn the order from the causal mask alone."
      >
        <p class="empty">Nothing is added, and nothing goes to attention.</p>
      </Card>
    )
  }
  const { about, picture } = PICTURES[positions.type as Drawn]
  return (
    <Card
      id="positions"
      title="Position rows"
      about={about}
      gives={
        rows.position === undefined
          ? undefined
          : [
              ['T', batch.length],
              ['C', rows.positionChannels],
            ]
      }
    >
      <p class="facts-line">
        <b>{positions.type}</b>
        {positions.type === 'learned_absolute' ? <Left /> : null}
        {positions.length === batch.length ? '' : `; drawn for ${positions.length} places`}
      </p>
      {picture(positions)}
    </Card>
  )
}

/** How much of the learned table the window uses. */
function Left() {
  const size = model.value?.max_position_embeddings
  const { batch, positions } = answer.value as NonNullable<typeof answer.value>
  if (!size || positions === undefined) return null
  const end = positions.offset + batch.length
  return (
    <>
      : places {counted(positions.offset)} to {counted(end - 1)} of {counted(size)}; {counted(size - end)}{' '}
      rows are left, and beyond the last one there is none
    </>
  )
}

interface Props {
  readonly positions: Positions
  /** The tensor of indices into the table of distances. */
  readonly name: string
}

/** Which row of the table of distances each pair of tokens takes: diagonals, and one colour beyond the bound. */
function DistancePicture({ positions, name }: Props) {
  const { data: values, shape } = positions.tensors[name]
  const [queries, keys] = shape
  const own = values[positions.offset < keys ? positions.offset : 0]
  const most = Array.from(values).reduce((limit, value) => Math.max(limit, Math.abs(value - own)), 1)
  return (
    <div class="beside">
      <Heatmap
        name={`Rows of the table of distances (${name})`}
        values={values}
        rows={queries}
        columns={keys}
        limit={most}
        centre={own}
        rowName={(row) => `query ${positions.offset + row}`}
        columnName="key"
        square
      />
      <p class="note">
        The middle colour is the token itself, row {own}; blue and orange are tokens before and after it.
        Where a diagonal's colour no longer changes, the distance is beyond the bound and shares the last row.
      </p>
    </div>
  )
}
