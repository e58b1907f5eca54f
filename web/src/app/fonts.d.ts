// The font package has only styles and no types.
declare module '@fontsource-variable/inter';
