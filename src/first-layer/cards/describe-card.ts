export * from './model-card.js' // until the features import it from there
