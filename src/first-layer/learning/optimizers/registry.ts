export * from './optimizers.js' // until the features import it from there
