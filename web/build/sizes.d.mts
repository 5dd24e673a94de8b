export declare function sizes(): Record<string, { plain: number; gzip: number }>;
export declare function printSizes(): void;
