throw new Error("DATABASE_URL is missing");
