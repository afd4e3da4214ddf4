"""Dense linear algebra over GF(2): by the GFNI instruction, by tables on any processor; walks through cosets."""
