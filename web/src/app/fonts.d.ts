// The font package is styles only and brings no types.
declare module '@fontsource-variable/inter';
