export * from './seed-card.js' // until the features import it from there
